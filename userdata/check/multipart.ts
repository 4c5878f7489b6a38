/** User data of several parts, as mails have them (MIME, RFC 2046). */
import type { LineFault } from '../lines.ts';

export interface Part {
  /** In small letters, such as `text/cloud-config`. */
  type: string | undefined;
  content: string;
  /** Of its first line in the whole, also where the content is encoded. */
  line: number;
}

export function isMultipart(text: string): boolean {
  return /^(MIME-Version|Content-Type):/i.test(text) && /^Content-Type:\s*multipart\//im.test(text);
}

export function partsOf(text: string): { parts: Part[]; faults: LineFault[] } {
  const lines = text.split(/\r?\n/);
  const headers = headersOf(lines, 0);
  const boundary = /boundary=(?:"([^"]+)"|([^\s;]+))/i.exec(headers.values['content-type'] ?? '');
  const name = boundary?.[1] ?? boundary?.[2];
  if (name === undefined) {
    return { parts: [], faults: [{ line: 1, sentence: 'Content-Type has no boundary' }] };
  }
  const starts = lines.flatMap((line, index) => (line.trimEnd() === `--${name}` ? [index] : []));
  const end = lines.findIndex((line) => line.trimEnd() === `--${name}--`);
  const last = end < 0 ? lines.length : end;
  const faults = [
    ...(starts.length === 0
      ? [{ line: 1, sentence: `no line is --${name}: it has no parts` }]
      : []),
    ...(end < 0
      ? [{ line: lines.length, sentence: `the last part does not end with --${name}--` }]
      : []),
  ];
  const parts = starts.map((start, index) =>
    partOf(lines.slice(0, starts[index + 1] ?? last), start + 1),
  );
  return { parts, faults };
}

/** `lines`: up to its end. */
function partOf(lines: readonly string[], start: number): Part {
  const { values, end } = headersOf(lines, start);
  const body = lines.slice(end).join('\n');
  const isBase64 = /base64/i.test(values['content-transfer-encoding'] ?? '');
  const type = values['content-type']?.split(';')[0]?.trim().toLowerCase();
  return {
    type,
    content: isBase64 ? Buffer.from(body, 'base64').toString('utf8') : body,
    line: end + 1,
  };
}

/** Up to an empty line; a line that begins with a blank goes on with the one before. */
function headersOf(
  lines: readonly string[],
  start: number,
): { values: Record<string, string>; end: number } {
  const values: Record<string, string> = {};
  let name = '';
  let index = start;
  for (; index < lines.length && lines[index] !== ''; index += 1) {
    const line = lines[index] ?? '';
    const colon = line.indexOf(':');
    if (/^\s/.test(line)) values[name] = `${values[name] ?? ''} ${line.trim()}`;
    else name = line.slice(0, colon).toLowerCase();
    if (!/^\s/.test(line)) values[name] = line.slice(colon + 1).trim();
  }
  return { values, end: index + 1 };
}
