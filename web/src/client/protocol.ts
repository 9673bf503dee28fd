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
import type { ConnectionStatus, Hint, Message, ProblemDocument, Rejection } from "./types";

/** A frame that is answered, before it has its number. */
export type NumberedFrame = Extract<ClientFrame, { id: number }>;
export type RequestFrame = { [T in NumberedFrame["type"]]: Omit<Extract<NumberedFrame, { type: T }>, "id"> }[NumberedFrame["type"]];

/** What others do, and oneself on another device. */
export type ServerEvent =
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
export interface QueuedMessage {
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

export type Reply =
  | { ack: Ack }
  | { problem: ProblemDocument }
  /** The connection broke, and nobody knows. */
  | { lost: true };

export type ToHub =
  | { type: "hello"; api: string; lock: string | null; queued: QueuedMessage[] }
  | { type: "focus"; threadIds: string[] }
  | { type: "typing"; threadId: string; on: boolean }
  | { type: "request"; n: number; frame: RequestFrame }
  | { type: "send"; queued: QueuedMessage }
  | { type: "retry"; clientMessageId: string }
  | { type: "discard"; clientMessageId: string }
  | { type: "token"; n: number; token: string | null; problem: ProblemDocument | null }
  /** The tab is shown again, or the network is back. */
  | { type: "wake" }
  | { type: "bye" };

export type ToTab =
  | { type: "welcome"; status: ConnectionStatus; outbox: QueuedMessage[] }
  | { type: "status"; status: ConnectionStatus }
  | { type: "event"; event: ServerEvent }
  | { type: "synced"; changes: Changes }
  /** Everything missed has been told, except changes of people's names. */
  | { type: "resumed" }
  /** What was loaded before may lack something, and nothing will bring it: load it again. */
  | { type: "reset" }
  | { type: "reply"; n: number; reply: Reply }
  | { type: "outbox"; outbox: QueuedMessage[] }
  /** A message has been answered: it is sent, or held, or gone from the outbox all the same. */
  | {
      type: "settled";
      queued: QueuedMessage;
      message: Message | null;
      hints: Hint[];
      outbox: QueuedMessage[];
      rejection: Rejection | null;
    }
  | { type: "tokenRequest"; n: number; stale: string | null };

/** One end of a way between two, wherever they are. */
export interface Port<Out, In> {
  post(message: Out): void;
  listen(receive: (message: In) => void): void;
  close(): void;
}

/** Both ends of a way within one page. What is said arrives later, as through a real port. */
export function createPortPair<A, B>(): [Port<A, B>, Port<B, A>] {
  const left = new PortEnd<A, B>();
  const right = new PortEnd<B, A>();
  left.other = right;
  right.other = left;
  return [left, right];
}

class PortEnd<Out, In> implements Port<Out, In> {
  other: PortEnd<In, Out> | null = null;
  receive: ((message: In) => void) | null = null;

  post(message: Out): void {
    queueMicrotask(() => this.other?.receive?.(message));
  }

  listen(receive: (message: In) => void): void {
    this.receive = receive;
  }

  close(): void {
    this.receive = null;
  }
}
