// What a tab and the hub say to one another, through a port or directly.
//
// What one would get wrong: through a port everything is copied. So it is plain data, and nobody
// keeps a reference to what they have sent.
import type {
  Ack,
  Changes,
  ClientFrame,
  InboxChanged,
  MessageCreated,
  MessageDeleted,
  MessageEdited,
  PersonUpdated,
  PresenceChanged,
  ReactionChanged,
  ReceiptMoved,
  NoticeAcknowledged,
  NoticeCreated,
  RequestChanged,
  ThreadUpdated,
  TypingChanged,
} from "./socket";
import type { Connection, Hint, Message, ProblemDocument, Rejection } from "./types";

/** A frame that is answered, before it has its number. */
export type Numbered = Extract<ClientFrame, { id: number }>;
export type Asked = { [T in Numbered["type"]]: Omit<Extract<Numbered, { type: T }>, "id"> }[Numbered["type"]];

/** What others do, and oneself on another device. */
export type Told =
  | MessageCreated
  | MessageEdited
  | MessageDeleted
  | ReactionChanged
  | ReceiptMoved
  | TypingChanged
  | PresenceChanged
  | ThreadUpdated
  | InboxChanged
  | RequestChanged
  | PersonUpdated
  | NoticeCreated
  | NoticeAcknowledged;

/** A message that waits for its answer, as it is kept in the browser. */
export interface Kept {
  clientMessageId: string;
  threadId: string;
  body: string;
  replyToMessageId: string | null;
  metadata?: Record<string, unknown>;
  writtenAt: string;
  /** The last message that was there when it was written. */
  afterSeq: number | null;
  /** It may have arrived without our being told. */
  tried: boolean;
  state: "waiting" | "sending" | "refused";
  problem: ProblemDocument | null;
}

export type Answered =
  | { ack: Ack }
  | { problem: ProblemDocument }
  /** The connection broke, and nobody knows. */
  | { lost: true };

export type ToHub =
  | { type: "hello"; api: string; lock: string | null; kept: Kept[] }
  | { type: "focus"; threadIds: string[] }
  | { type: "typing"; threadId: string; on: boolean }
  | { type: "ask"; n: number; frame: Asked }
  | { type: "send"; kept: Kept }
  | { type: "retry"; clientMessageId: string }
  | { type: "discard"; clientMessageId: string }
  | { type: "token"; n: number; token: string | null; problem: ProblemDocument | null }
  /** The tab is shown again, or the network is back. */
  | { type: "wake" }
  | { type: "bye" };

export type ToTab =
  | { type: "welcome"; connection: Connection; outbox: Kept[] }
  | { type: "connection"; connection: Connection }
  | { type: "told"; frame: Told }
  | { type: "synced"; changes: Changes }
  /** Everything missed has been told, except changes of people's names. */
  | { type: "resumed" }
  /** What was loaded before may lack something, and nothing will bring it: load it again. */
  | { type: "fresh" }
  | { type: "answer"; n: number; answer: Answered }
  | { type: "outbox"; outbox: Kept[] }
  /** A message has been answered: it is sent, or held, or gone from the outbox all the same. */
  | {
      type: "settled";
      kept: Kept;
      message: Message | null;
      hints: Hint[];
      outbox: Kept[];
      rejection: Rejection | null;
    }
  | { type: "token?"; n: number; stale: string | null };

/** One end of a way between two, wherever they are. */
export interface Port<Out, In> {
  post(message: Out): void;
  listen(take: (message: In) => void): void;
  close(): void;
}

/** Both ends of a way within one page. What is said arrives later, as through a real port. */
export function ways<A, B>(): [Port<A, B>, Port<B, A>] {
  const left = new End<A, B>();
  const right = new End<B, A>();
  left.other = right;
  right.other = left;
  return [left, right];
}

class End<Out, In> implements Port<Out, In> {
  other: End<In, Out> | null = null;
  take: ((message: In) => void) | null = null;

  post(message: Out): void {
    queueMicrotask(() => this.other?.take?.(message));
  }

  listen(take: (message: In) => void): void {
    this.take = take;
  }

  close(): void {
    this.take = null;
  }
}
