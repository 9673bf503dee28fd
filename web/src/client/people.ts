// The people that the user has seen: loads their names in batches, and follows renames.
import type { On } from "./events";
import { Value } from "./observable";
import type { Rest } from "./rest";
import type { Person, Picture } from "./types";

const MAX_PEOPLE_PER_REQUEST = 50;
const MAX_PEOPLE_REFRESHED = 200;

export class PeopleCache {
  readonly list = new Value<ReadonlyMap<string, Person>>(new Map());
  #neededIds = new Set<string>();
  #unknownIds = new Set<string>();
  /** All users that were needed on screen, the latest last. */
  #needed = new Set<string>();
  #isLoading = false;

  constructor(
    private readonly rest: Rest,
    /** A person with a picture has come from the server. */
    private readonly onPicture: (picture: Picture) => void = () => undefined,
  ) {}

  registerEvents(on: On): void {
    on("person.updated", ({ person }) => this.add([person]));
  }

  need(userIds: Iterable<string>): void {
    for (const id of userIds) {
      this.#needed.delete(id);
      if (id !== "") this.#needed.add(id);
      const isKnown = id === "" || this.list.get().has(id) || this.#unknownIds.has(id);
      if (!isKnown) this.#neededIds.add(id);
    }
    this.#schedule();
  }

  /** Loads the names on screen again: a rename may have been missed. */
  refresh(): void {
    const known = [...this.#needed].filter((id) => this.list.get().has(id));
    for (const id of known.slice(-MAX_PEOPLE_REFRESHED)) this.#neededIds.add(id);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#neededIds.size === 0 || this.#isLoading) return;
    this.#isLoading = true;
    setTimeout(() => void this.#load(), 5);
  }

  async #load(): Promise<void> {
    while (this.#neededIds.size > 0) {
      const id = [...this.#neededIds].slice(0, MAX_PEOPLE_PER_REQUEST);
      try {
        const page = await this.rest.request("get", "/v1/people", { query: { id } });
        for (const one of id) {
          this.#neededIds.delete(one);
          this.#unknownIds.add(one);
        }
        this.add(page.people);
      } catch {
        break; // tried again with the next request
      }
    }
    this.#isLoading = false;
  }

  /** Keeps the newer version of each person: events and responses may arrive out of order. */
  add(people: readonly Person[]): void {
    const known = new Map(this.list.get());
    for (const one of people) {
      if (one.version < (known.get(one.userId)?.version ?? 0)) continue;
      known.set(one.userId, one);
      if (one.avatar !== null) this.onPicture(one.avatar);
    }
    this.list.set(known);
  }
}
