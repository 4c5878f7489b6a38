/** Files and units of a profile or a config that others have already. */
import { posix } from 'node:path';
import type { UserDataInput } from './input.ts';
import { askedPath } from './kubelet.ts';
import { ownFiles, ownUnits } from './machine.ts';
import { placeholderValues } from './secrets.ts';

/** Of files that are made on the machine. */
const madePaths = [askedPath, '/etc/hostname', '/var/lib/kubelet/kubeconfig'];

/** Of a pool without other faults. */
export function fileFaults(input: UserDataInput): string[] {
  const { profile, config } = input;
  const own = ownFiles(input, placeholderValues(config)).map(({ path }) => path);
  const taken = new Map([...own, ...madePaths].map((path) => [path, 'Millwright writes it']));
  const given = [
    ...(profile.files ?? []).map(({ path }, index) => ({
      path,
      field: `profile: files[${index}].path`,
    })),
    ...(config.files ?? []).map(({ path }, index) => ({ path, field: `files[${index}].path` })),
  ];
  return given.flatMap(({ path, field }) => {
    if (posix.normalize(path) !== path) {
      return [`${field}: "${path}" is not in its shortest form: ${posix.normalize(path)}`];
    }
    const reason = path.startsWith('/etc/systemd/system/')
      ? 'units and their drop-ins belong in units'
      : taken.get(path);
    taken.set(path, 'another file has this path');
    return reason === undefined ? [] : [`${field}: "${path}" is not allowed: ${reason}`];
  });
}

/** Millwright's units, and those of the profile, may be overlaid by drop-ins, not replaced. */
export function unitFaults(input: UserDataInput): string[] {
  const { profile, config } = input;
  const own = ownUnits(input, placeholderValues(config)).map(({ name }) => name);
  const names = new Set(own);
  const paths = new Set<string>();
  const given = [
    ...(profile.units ?? []).map((unit, index) => ({ unit, field: `profile: units[${index}]` })),
    ...(config.units ?? []).map((unit, index) => ({ unit, field: `units[${index}]` })),
  ];
  return given.flatMap(({ unit: { name, content, enabled, masked, dropIns = [] }, field }) => {
    const faults: string[] = [];
    const isOverlay = content === undefined && enabled === undefined && masked === undefined;
    if (names.has(name) && !isOverlay) {
      faults.push(`${field}.name: "${name}" is there already: only dropIns are allowed beside it`);
    }
    if (masked && content !== undefined) {
      faults.push(`${field}.masked: true is not allowed where content is given`);
    }
    names.add(name);
    for (const dropIn of dropIns) {
      const path = `${name}.d/${dropIn.name}`;
      if (dropIn.name.startsWith('millwright') || paths.has(path)) {
        faults.push(`${field}.dropIns: "${dropIn.name}" is taken: give it another name`);
      }
      paths.add(path);
    }
    return faults;
  });
}
