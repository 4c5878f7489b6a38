/** Values as the files of a machine take them, whatever characters they have. */
import { stringify } from 'yaml';

/** YAML 1.1, as cloud-init and Kubernetes read it: `yes` and `0644` get quotes. */
export function yamlText(value: unknown): string {
  return stringify(value, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false });
}

/** One word of bash. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A basic string of TOML, which has the escapes of JSON. */
export function tomlText(text: string): string {
  return JSON.stringify(text).replaceAll('\u007F', String.raw`\u007f`);
}

/** One word of `Environment=`. `%` begins a specifier there. */
export function environmentWord(text: string): string {
  if (/^[\w@+=:,./-]+$/.test(text)) return text;
  const escaped = text
    .replaceAll(/["\\]/g, String.raw`\$&`)
    .replaceAll('%', '%%')
    // A control character ends no line and no word.
    .replaceAll(/\p{Cc}/gu, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `"${escaped}"`;
}

/** One word of `ExecStart=`, where `$` begins a variable too. */
export function commandWord(text: string): string {
  return environmentWord(text).replaceAll('$', '$$$$');
}
