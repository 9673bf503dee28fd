// The text "Mateo is typing…" for one, two or more people.
import { t } from "../strings";

export function typingText(names: readonly string[]): string {
  const [name, other] = names;
  if (name === undefined) return "";
  if (other === undefined) return t("typing.one", { name });
  return names.length === 2 ? t("typing.two", { name, other }) : t("typing.many");
}
