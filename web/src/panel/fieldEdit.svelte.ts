// One field while it is edited: saved a moment after the last keystroke, again after a disconnect, and compared
// with what others have written meanwhile.
import {
  isProblem,
  type PanelEdit,
  type PanelObject,
  type PanelTabName,
  type PanelValue,
  type ProjectPanel,
} from "../client";
import { errorText } from "../app/toasts.svelte";

const PAUSE_MS = 900;

/** The refused edit: both texts, and who wrote the other one. */
export interface Clash {
  current: PanelValue | null;
  yours: PanelValue;
  version: number;
  setByUserId: string | null;
  setAt: string | null;
}

/** What was typed into an object that somebody else has deleted. */
export interface LostText {
  objectId: string;
  value: PanelValue;
  deletedByUserId: string | null;
  deletedAt: string | null;
}

export interface FieldPlace {
  panel: ProjectPanel;
  tab: PanelTabName;
  objectId: string;
  field: string;
  onlost: (lost: LostText) => void;
}

export class FieldEdit {
  /** What is typed; null while nobody edits the field here. */
  draft = $state.raw<PanelValue | null>(null);
  isSaving = $state(false);
  /** There was no connection: it is saved again once there is. */
  isWaiting = $state(false);
  clash = $state.raw<Clash | null>(null);
  problem = $state("");
  #known: PanelValue = "";
  #base = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** The last try, with its id: the server makes it once. */
  #tried: { value: PanelValue; base: number; clientId: string } | null = null;
  #isFocused = false;
  /** Not reactive: while a component is destroyed, reactive values read as they were before. */
  #isBusy = false;

  constructor(private readonly place: FieldPlace) {}

  get isDirty(): boolean {
    return this.draft !== null && this.draft !== this.#known;
  }

  /** The field has the focus: `value` and `version` are what the user sees. */
  focus(value: PanelValue, version: number): void {
    this.#isFocused = true;
    if (this.draft === null) this.#begin(value, version);
  }

  #begin(value: PanelValue, version: number): void {
    this.draft = this.#known = value;
    this.#base = version;
  }

  /** Somebody else has changed it, or an own edit has arrived. */
  follow(value: PanelValue, version: number): void {
    if (this.draft !== null && !this.isDirty && version > this.#base) this.#begin(value, version);
  }

  type(value: PanelValue): void {
    this.draft = value;
    this.problem = "";
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.save(), PAUSE_MS);
  }

  blur(): void {
    this.#isFocused = false;
    if (this.isDirty) void this.save();
    else if (this.clash === null) this.draft = null;
  }

  /** The user has chosen one of the two texts. */
  resolve(isMine: boolean): void {
    const { clash } = this;
    if (clash === null) return;
    this.clash = null;
    this.#begin(clash.current ?? "", clash.version);
    if (isMine) {
      this.draft = clash.yours;
      void this.save();
    } else if (!this.#isFocused) this.draft = null;
  }

  async save(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#isBusy || this.clash !== null || !this.isDirty || this.draft === null) return;
    const value = this.draft;
    const isSame = this.#tried?.value === value && this.#tried.base === this.#base;
    const tried = isSame && this.#tried ? this.#tried : { value, base: this.#base, clientId: crypto.randomUUID() };
    this.#tried = tried;
    this.#isBusy = this.isSaving = true;
    try {
      await this.#send(value, tried.base, tried.clientId);
    } finally {
      this.#isBusy = this.isSaving = false;
    }
    if (this.isDirty && this.draft !== value) void this.save(); // typed meanwhile
  }

  async #send(value: PanelValue, base: number, clientId: string): Promise<void> {
    const { panel, tab, objectId, field } = this.place;
    const edit: PanelEdit = { action: "set", objectId, field, value, base };
    try {
      const { object } = await panel.edit(tab, edit, clientId);
      const saved = (object as PanelObject | null)?.fields[field];
      this.#known = value;
      this.#base = saved?.version ?? base;
      if (this.draft === value && saved !== undefined) this.draft = this.#known = saved.value;
      this.isWaiting = false;
      this.problem = "";
      if (!this.#isFocused && !this.isDirty) this.draft = null;
    } catch (error) {
      this.#failed(error, value);
    }
  }

  #failed(error: unknown, value: PanelValue): void {
    const code = isProblem(error) ? error.code : "";
    const fields = isProblem(error) ? error.fields : {};
    this.isWaiting = isProblem(error) && (error.status === 0 || error.status >= 500);
    if (this.isWaiting) return;
    if (code === "edit-clash") {
      this.clash = fields["clash"] as Clash;
    } else if (code.startsWith("panel-object-")) {
      this.draft = null;
      const { deletedByUserId: by, deletedAt: at } = fields;
      const { objectId } = this.place;
      const deletedByUserId = typeof by === "string" ? by : null;
      this.place.onlost({ objectId, value, deletedByUserId, deletedAt: typeof at === "string" ? at : null });
    } else {
      this.problem = errorText(error);
    }
  }
}
