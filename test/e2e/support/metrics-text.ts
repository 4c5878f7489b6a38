/** Samples in the text that Prometheus reads. */

export interface TextSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Without comments. Values of labels must hold no `"`. */
export function samplesIn(text: string): TextSample[] {
  return text.split('\n').flatMap((line) => {
    const found = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/.exec(line);
    const { name, labels = '', value } = found?.groups ?? {};
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', of = '']) => [
      key,
      of,
    ]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

/** By name, of our series and those of MCM. */
export function typesIn(text: string): Map<string, string> {
  const found = text.matchAll(/^# TYPE ((?:millwright|mcm)_\w+) (\w+)$/gm);
  return new Map([...found].map(([, name = '', type = '']) => [name, type]));
}
