import { builtInProfile, profileNames } from '../../userdata/profiles.ts';
import type { Answer } from '../command-line/answer.ts';
import { formatColumns } from '../terminal/columns.ts';

/** Those that come with Millwright. */
export function profiles(): Answer {
  const known = profileNames().flatMap((name) => builtInProfile(name) ?? []);
  const rows = known.map(({ name, version, operatingSystem, format, providers }) => [
    name,
    version,
    operatingSystem.title,
    format,
    providers?.join(',') ?? `all with ${format}`,
    operatingSystem.outOfSupport ?? '',
  ]);
  const head = ['NAME', 'VERSION', 'SYSTEM', 'FORMAT', 'CLOUDS', 'OUT OF SUPPORT'];
  return {
    text: formatColumns(head, rows),
    data: known.map(({ name, version, operatingSystem, format, providers = null }) => ({
      name,
      version,
      operatingSystem,
      format,
      providers,
    })),
    names: known.map(({ name }) => name),
  };
}
