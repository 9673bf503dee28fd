// The messages between a tab and the hub, through a MessagePort or within the page.
//
// Careful: a MessagePort copies its messages. They must be plain data, and no one may rely on identity.
import type { Acks, Changes, ClientFrame, ServerEvent } from "./socket";
import type {
  ConnectionStatus,
  Hint,
  Message,
  OutgoingAttachment,
  ProblemDocument,
  Rejection,
} from "./types";

/** A request, before it gets its id. */
export type NumberedFrame = Extract<ClientFrame, { id: number }>;
export type RequestFrame = { [T in NumberedFrame["type"]]: Omit<Extract<NumberedFrame, { type: T }>, "id"> }[NumberedFrame["type"]];

/** A frame that has no answer. */
export type Notification = Extract<ClientFrame, { type: "typing" | "focus_panel" }>;

/** A message in the outbox, as saved in the browser. */
export interface QueuedMessage {
  clientMessageId: string;
  threadId: string;
  body: string;
  replyToMessageId: string | null;
  metadata?: Record<string, unknown>;
  attachments?: OutgoingAttachment[];
  writtenAt: string;
  /** The thread's last seq when it was written. */
  afterSeq: number | null;
  /** It was sent at least once, and may have arrived. */
  tried: boolean;
  state: "waiting" | "sending" | "refused";
  problem: ProblemDocument | null;
}

/** The acks differ by the type of the request. */
export type AckOf<F extends RequestFrame> = Acks[F["type"]];

export type Reply<F extends RequestFrame = RequestFrame> =
  | { ack: AckOf<F> }
  | { problem: ProblemDocument }
  /** The connection broke: the outcome is unknown. */
  | { lost: true };

export type ToHub =
  | { type: "hello"; api: string; lock: string | null; queued: QueuedMessage[] }
  | { type: "focus"; threadIds: string[] }
  /** Sends a frame that has no answer. It is dropped without a connection. */
  | { type: "notify"; frame: Notification }
  | { type: "request"; n: number; frame: RequestFrame }
  | { type: "send"; queued: QueuedMessage }
  | { type: "retry"; clientMessageId: string }
  | { type: "discard"; clientMessageId: string }
  /** The server knows the file: messages with it can be sent. */
  | { type: "announced"; uploadId: string; fileId: string }
  /** The server does not take the file: messages with it cannot be sent. */
  | { type: "uploadFailed"; uploadId: string; problem: ProblemDocument }
  | { type: "token"; n: number; token: string | null; problem: ProblemDocument | null }
  /** The tab is visible again, or the network is back. */
  | { type: "wake" }
  | { type: "bye" };

export type ToTab =
  | { type: "welcome"; status: ConnectionStatus; outbox: QueuedMessage[] }
  | { type: "status"; status: ConnectionStatus }
  | { type: "event"; event: ServerEvent }
  | { type: "synced"; changes: Changes }
  /** All missed events have been delivered, except changed display names. */
  | { type: "resumed" }
  /** Events were lost: load these sources again; null means everything. */
  | { type: "reset"; sources: string[] | null }
  | { type: "reply"; n: number; reply: Reply }
  | { type: "outbox"; outbox: QueuedMessage[] }
  /** A message was answered: sent, held, rejected, or it waits for its files. It is no longer in the
   * outbox. */
  | {
      type: "settled";
      queued: QueuedMessage;
      message: Message | null;
      isWaiting: boolean;
      hints: Hint[];
      outbox: QueuedMessage[];
      rejection: Rejection | null;
    }
  | { type: "tokenRequest"; n: number; stale: string | null };

/** One end of a channel between a tab and the hub. */
export interface Port<Out, In> {
  post(message: Out): void;
  listen(receive: (message: In) => void): void;
  close(): void;
}

/** Both ends of a channel within one page. Messages arrive asynchronously, as with a MessagePort. */
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
