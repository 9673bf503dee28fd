// The icon of each card type.
import type { IconName } from "../app/ui/icons";
import type { CardType } from "./types";

export const ICONS: Readonly<Record<CardType, IconName>> = {
  offer: "bookings",
  reschedule: "retry",
  extras: "plus",
  overtime: "clock",
  proofs: "picture",
  expense: "file",
  cancel: "close",
  deposit_claim: "lock",
  complete: "check",
  dispute: "flag",
  safety: "shield",
};
