/** User data as a machine reads them at its first boot: its files and units. It fetches nothing. */
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';
import { isRecord } from '../../../../workflows/values/is-record.ts';
import { parsedJson } from '../../../../workflows/values/parsed-json.ts';

/** Content by path. Units stand in the folder of systemd. */
export type MachineFiles = ReadonlyMap<string, string>;

const unitFolder = '/etc/systemd/system';
/** More than any cloud takes. */
const longestBytes = 4 * 1024 * 1024;

/** Messages of errors quote nothing: it may be a secret. */
export function filesIn(userData: Uint8Array): MachineFiles {
  const text = Buffer.from(unpacked(userData)).toString('utf8');
  if (text.startsWith('#cloud-config')) return filesOfCloudConfig(parsedYaml(text, 'cloud-config'));
  const json = parsedJson(text);
  if (isRecord(json) && isRecord(json['ignition'])) return filesOfIgnition(json);
  throw new Error('they are neither #cloud-config nor the JSON of Ignition');
}

/** Undefined values become an empty object. */
export function parsedYaml(text: string, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parse(text, { logLevel: 'error' });
  } catch {
    // oxlint-disable-next-line preserve-caught-error -- it quotes the line
    throw new Error(`${what} is no proper YAML`);
  }
  return Object(value);
}

function unpacked(bytes: Uint8Array): Uint8Array {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isPacked ? gunzipSync(bytes, { maxOutputLength: longestBytes }) : bytes;
}

function filesOfCloudConfig({ write_files: files }: Record<string, unknown>): MachineFiles {
  return new Map(
    listOf(files).map(({ path, content = '', encoding = '' }) => [
      String(path),
      decoded(String(content), String(encoding)),
    ]),
  );
}

/** `b64`, `gzip`, `gz+b64` and the other names that cloud-init has for them; else text. */
function decoded(content: string, encoding: string): string {
  if (!/b64|base64/.test(encoding)) return content;
  return Buffer.from(unpacked(Buffer.from(content, 'base64'))).toString('utf8');
}

function filesOfIgnition({ storage, systemd }: Record<string, unknown>): MachineFiles {
  const files = listOf(Object(storage).files).map(({ path, contents }) => {
    return [String(path), contentOf(String(Object(contents).source ?? 'data:,'))] as const;
  });
  const units = listOf(Object(systemd).units).map(({ name, contents = '' }) => {
    return [`${unitFolder}/${String(name)}`, String(contents)] as const;
  });
  return new Map([...files, ...units]);
}

/** Of a data URL. */
function contentOf(source: string): string {
  const [, kind = '', data] = /^data:([^,]*),(.*)$/s.exec(source) ?? [];
  if (data === undefined) return '';
  if (!kind.endsWith(';base64')) return decodeURIComponent(data);
  return Buffer.from(unpacked(Buffer.from(data, 'base64'))).toString('utf8');
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
