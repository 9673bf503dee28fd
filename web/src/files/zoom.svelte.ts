// Zoom and position of the picture in the gallery: by keys, wheel, double click, drag, pinch and swipe.

const MAX = 6;
const STEP = 1.5;
const SWIPE = 60;
const CLOSE = 110;

interface Point {
  x: number;
  y: number;
}

interface Swipes {
  onswipe: (by: 1 | -1) => void;
  onclose: () => void;
}

export class Zoom {
  scale = $state(1);
  x = $state(0);
  y = $state(0);
  isDragging = $state(false);
  #pointers = new Map<number, Point>();
  #start: Point | null = null;
  #hasPinched = false;
  readonly #swipes: Swipes;

  constructor(swipes: Swipes) {
    this.#swipes = swipes;
  }

  get transform(): string {
    return `translate(${this.x}px, ${this.y}px) scale(${this.scale})`;
  }

  get isZoomed(): boolean {
    return this.scale > 1.01;
  }

  reset(): void {
    this.scale = 1;
    this.x = this.y = 0;
  }

  in(): void {
    this.#to(this.scale * STEP);
  }

  out(): void {
    this.#to(this.scale / STEP);
  }

  /** Around a point, given from the centre of the stage. */
  #to(scale: number, around: Point = { x: 0, y: 0 }): void {
    const next = Math.min(MAX, Math.max(1, scale));
    const by = next / this.scale;
    this.x = around.x - (around.x - this.x) * by;
    this.y = around.y - (around.y - this.y) * by;
    this.scale = next;
    if (next === 1) this.x = this.y = 0;
  }

  onwheel = (event: WheelEvent & { currentTarget: HTMLElement }): void => {
    event.preventDefault();
    this.#to(this.scale * Math.exp(-event.deltaY / 400), fromCentre(event, event.currentTarget));
  };

  ondblclick = (event: MouseEvent & { currentTarget: HTMLElement }): void => {
    if (this.isZoomed) this.reset();
    else this.#to(2.5, fromCentre(event, event.currentTarget));
  };

  onpointerdown = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    if (event.button !== 0 || (event.target as HTMLElement).closest("button, a, video") !== null) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    this.#start = { x: event.clientX, y: event.clientY };
    this.#hasPinched = this.#pointers.size > 1;
    this.isDragging = true;
  };

  onpointermove = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) return;
    const now = { x: event.clientX, y: event.clientY };
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other !== undefined) {
      const by = distance(now, other) / Math.max(1, distance(before, other));
      const middle = { clientX: (now.x + other.x) / 2, clientY: (now.y + other.y) / 2 };
      this.#to(this.scale * by, fromCentre(middle, event.currentTarget));
    } else if (this.isZoomed) {
      this.x += now.x - before.x;
      this.y += now.y - before.y;
    } else if (event.pointerType !== "mouse" && this.#start !== null) {
      this.x = now.x - this.#start.x;
      this.y = Math.max(0, now.y - this.#start.y);
    }
    this.#pointers.set(event.pointerId, now);
  };

  onpointerup = (event: PointerEvent): void => {
    if (!this.#pointers.delete(event.pointerId) || this.#pointers.size > 0) return;
    this.isDragging = false;
    if (this.isZoomed) return;
    const { x, y } = this;
    this.reset();
    if (this.#hasPinched) return;
    if (Math.abs(x) > SWIPE && Math.abs(x) > y) this.#swipes.onswipe(x < 0 ? 1 : -1);
    else if (y > CLOSE) this.#swipes.onclose();
  };
}

function fromCentre({ clientX, clientY }: { clientX: number; clientY: number }, stage: HTMLElement): Point {
  const box = stage.getBoundingClientRect();
  return { x: clientX - box.left - box.width / 2, y: clientY - box.top - box.height / 2 };
}

function distance(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
