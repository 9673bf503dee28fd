// A message in one line: its text, or what files it has.
import type { Attachment, Outgoing } from "../client";
import { list, t } from "../strings";
import { plain } from "./markdown";

type Named = Pick<Attachment, "media" | "name">;

export function messageText(message: { body: string; attachments?: readonly Named[] }): string {
  return plain(message.body) || filesText(message.attachments ?? []);
}

/** Of a message that is quoted: its text, and the names of all its files. */
export function quotedText(message: { body: string; attachments?: readonly Named[] }): string {
  const names = list((message.attachments ?? []).map((one) => one.name));
  return [plain(message.body), names].filter(Boolean).join(" · ");
}

export function outgoingText({ body, attachments }: Outgoing): string {
  return plain(body) || list(attachments.map((one) => one.name));
}

/** “3 pictures”, or the names of documents. */
function filesText(attachments: readonly Named[]): string {
  const of = (media: string): number => attachments.filter((one) => one.media === media).length;
  const counted = (["picture", "video", "sound"] as const).filter((media) => of(media) > 0);
  const names = attachments.filter((one) => !(counted as string[]).includes(one.media));
  return list([
    ...counted.map((media) => t(`files.${media}`, { count: of(media) })),
    ...names.map((one) => one.name),
  ]);
}
