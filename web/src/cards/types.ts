// The shapes of cards, by type, as the app uses them.
import type { CardContent, CardView } from "../client";

export type CardType = CardContent["type"];
export type ContentOf<T extends CardType> = Extract<CardContent, { type: T }>;
export type LegTerms = ContentOf<"offer">["legs"][number];
export type CardState = CardView["state"];
export type CardOption = CardView["options"][number];
