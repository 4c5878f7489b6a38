/** What a machine finds on its disk, read back from cloud-init's or Ignition's text. */
import { parse } from 'yaml';
import type { Rendered } from '../../../userdata/render.ts';

export interface Contents {
  /** By path; units among them. */
  files: Readonly<Record<string, string>>;
}

interface CloudConfig {
  write_files: readonly { path: string; content: string; encoding?: string }[];
}

interface IgnitionConfig {
  storage: { files: readonly { path: string; contents: { source: string } }[] };
  systemd: {
    units: readonly {
      name: string;
      contents?: string;
      dropins?: readonly { name: string; contents: string }[];
    }[];
  };
}

export const unitFolder = '/etc/systemd/system/';

export async function contentsOf({ format, text }: Rendered): Promise<Contents['files']> {
  return format === 'cloud-init' ? ofCloudInit(parse(text)) : await ofIgnition(JSON.parse(text));
}

function ofCloudInit({ write_files: files }: CloudConfig): Contents['files'] {
  const entries = files.map(({ path, content, encoding }) => {
    if (encoding !== undefined) throw new Error(`${path}: this reads no ${encoding}`);
    return [path, content] as const;
  });
  return Object.fromEntries(entries);
}

async function ofIgnition({ storage, systemd }: IgnitionConfig): Promise<Contents['files']> {
  const files = storage.files.map(async ({ path, contents }) => {
    const response = await fetch(contents.source);
    return [path, await response.text()] as const;
  });
  const units = systemd.units.flatMap(({ name, contents, dropins = [] }) => [
    ...(contents === undefined ? [] : [[`${unitFolder}${name}`, contents] as const]),
    ...dropins.map((one) => [`${unitFolder}${name}.d/${one.name}`, one.contents] as const),
  ]);
  return Object.fromEntries([...(await Promise.all(files)), ...units]);
}
