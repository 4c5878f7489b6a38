/** What the SDK sends: `InstanceId.1=...&Filter.1.Name=...`. */
export type Form = ReadonlyMap<string, string>;

export function formOf(body: string): Form {
  return new Map(new URLSearchParams(body));
}

/** `InstanceId.1`, `InstanceId.2` and so on. */
export function textsOf(form: Form, name: string): string[] {
  const texts: string[] = [];
  for (;;) {
    const text = form.get(`${name}.${texts.length + 1}`);
    if (text === undefined) return texts;
    texts.push(text);
  }
}

/**
 * `Filter.1.Name`, `Filter.1.Value.1` and so on, as one form for each number, without the number.
 */
export function groupsOf(form: Form, name: string): Form[] {
  const groups: Form[] = [];
  for (;;) {
    const prefix = `${name}.${groups.length + 1}.`;
    const group = [...form]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]): [string, string] => [key.slice(prefix.length), value]);
    if (group.length === 0) return groups;
    groups.push(new Map(group));
  }
}
