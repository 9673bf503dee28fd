// The endpoints of `greenroom demo`: its sample people, and a token for any of them.
import { isProblem, fetchJson } from "./rest";
import type { SamplePerson, SignedIn } from "./types";

/** Null if the server is not a demo. */
export async function samplePeople(api = ""): Promise<SamplePerson[] | null> {
  try {
    const found = (await fetchJson(`${api}/demo/people`)) as { people: SamplePerson[] };
    return found.people;
  } catch (error) {
    if (isProblem(error) && error.status === 404) return null;
    throw error;
  }
}

/** Call it again when the token is about to expire. */
export async function signInAsSample(username: string, api = ""): Promise<SignedIn> {
  return (await fetchJson(`${api}/demo/sign-in`, { username })) as SignedIn;
}
