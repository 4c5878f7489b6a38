/** Ignition 2 and 3: their documented fields, and the rules that Ignition has for them. */
import { schemaCheck } from '../../activities/schema/schema-check.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { readYaml, type LineFault } from '../lines.ts';
import type { Checked } from './checked.ts';
import { ignition2, ignition3 } from './ignition-shapes.ts';
import { unitFaults } from './unit.ts';

interface Found {
  pointer: string;
  sentence: string;
}

const checks = { 2: schemaCheck(ignition2), 3: schemaCheck(ignition3) };

export function checkIgnition(text: string): Checked {
  const kind = 'Ignition';
  let value: unknown;
  try {
    value = JSON.parse(text, (_key, one: unknown) => (one === null ? undefined : one));
  } catch (error) {
    return { kind, faults: [syntaxFault(text, error)], warnings: [] };
  }
  const { version } = Object(Object(value)['ignition']);
  const { lineOf } = readYaml(text);
  const withLine = ({ pointer, sentence }: Found): LineFault => ({
    line: lineOf(pointer),
    sentence,
  });
  const major = /^([23])\.\d\.0(-experimental)?$/.exec(String(version))?.[1];
  if (!isRecord(value) || (major !== '2' && major !== '3')) {
    const given = version === undefined ? 'nothing' : JSON.stringify(version);
    const sentence = `ignition.version: ${given} is not a version of Ignition: 2.0.0 to 2.4.0, 3.0.0 to 3.6.0`;
    return { kind, faults: [withLine({ pointer: '/ignition/version', sentence })], warnings: [] };
  }
  const found = checks[major](value);
  const faults = found.filter((one) => !isUnknown(one));
  const more = faults.length === 0 ? rulesOf(value) : { faults: [], warnings: [] };
  return {
    kind: `${kind} ${String(version)}`,
    faults: [...faults, ...more.faults].map(withLine),
    warnings: [
      ...found.filter(isUnknown),
      ...more.warnings,
      ...(major === '3' ? earlyFields(value, String(version)) : []),
    ].map(withLine),
  };
}

/** Node.js says the place in words, by its offset or by line and column. */
function syntaxFault(text: string, error: unknown): LineFault {
  const { message } = Object(error);
  const offset = Number(/at position (\d+)/.exec(message)?.[1] ?? text.length);
  return { line: text.slice(0, offset).split('\n').length, sentence: `it is no JSON: ${message}` };
}

function isUnknown({ keyword }: { keyword: string }): boolean {
  return keyword === 'additionalProperties';
}

/** An earlier Ignition ignores them. */
const since: Readonly<Record<string, string>> = {
  '/storage/luks': '3.2.0',
  '/kernelArguments': '3.3.0',
};

function earlyFields(value: unknown, version: string): Found[] {
  return Object.entries(since)
    .filter(([pointer, first]) => at(value, pointer) !== undefined && version < first)
    .map(([pointer, first]) => ({
      pointer,
      sentence: `${pathOf(pointer)} is known since ${first}, and ignored by ${version}`,
    }));
}

/** `/storage/files/0` to `storage.files[0]`. */
function pathOf(pointer: string): string {
  return pointer
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.');
}

function at(value: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<unknown>((inside, step) => Object(inside)[step], value);
}

function itemsAt(value: unknown, pointer: string): { pointer: string; item: object }[] {
  const items = at(value, pointer);
  return Array.isArray(items)
    ? items.map((item, index) => ({ pointer: `${pointer}/${index}`, item: Object(item) }))
    : [];
}

/** Lists whose items differ by a field. */
const uniqueBy: readonly (readonly [field: string, ...lists: string[]])[] = [
  ['device', '/storage/disks'],
  ['device', '/storage/filesystems'],
  ['name', '/storage/raid'],
  ['name', '/storage/luks'],
  ['name', '/passwd/users'],
  ['name', '/passwd/groups'],
  ['name', '/systemd/units'],
];
const nodeLists = ['/storage/files', '/storage/directories', '/storage/links'];

function rulesOf(value: unknown): { faults: Found[]; warnings: Found[] } {
  const units = itemsAt(value, '/systemd/units');
  const dropIns = units.flatMap(({ pointer }) => itemsAt(value, `${pointer}/dropins`));
  const disks = itemsAt(value, '/storage/disks');
  const nodes = nodeLists.flatMap((list) => itemsAt(value, list));
  return {
    faults: [
      ...uniqueBy.flatMap(([field, ...lists]) =>
        repeated(
          lists.flatMap((list) => itemsAt(value, list)),
          field,
        ),
      ),
      ...repeated(nodes, 'filesystem', 'path'),
      ...units.flatMap(({ pointer }) => repeated(itemsAt(value, `${pointer}/dropins`), 'name')),
      ...disks.flatMap(({ pointer }) => partitionFaults(itemsAt(value, `${pointer}/partitions`))),
      ...belowLinks(value, nodes),
      ...[...units, ...dropIns].flatMap(({ pointer, item }) =>
        unitFaults(contentsOf(item)).map((sentence) => ({
          pointer: `${pointer}/contents`,
          sentence: `${pathOf(pointer)}.contents (${nameOf(item)}): ${sentence}`,
        })),
      ),
    ],
    warnings: units
      .filter(({ item }) => 'enabled' in item && item.enabled === true)
      .filter(({ item }) => contentsOf(item) !== '' && !/^\[Install\]/m.test(contentsOf(item)))
      .map(({ pointer, item }) => ({
        pointer,
        sentence: `${nameOf(item)} is enabled and has no section [Install]: it does not start at boot`,
      })),
  };
}

function contentsOf(item: object): string {
  return 'contents' in item && typeof item.contents === 'string' ? item.contents : '';
}

function nameOf(item: object): string {
  return 'name' in item ? String(item.name) : '';
}

type Item = ReturnType<typeof itemsAt>[number];

/** Items that are said twice, by the values of these fields. */
function repeated(items: readonly Item[], ...by: readonly string[]): Found[] {
  const keys = items.map(({ item }) =>
    JSON.stringify(by.map((field) => Object(item)[field] ?? '')),
  );
  return items
    .filter((_item, index) => keys.indexOf(keys[index] ?? '') < index)
    .map(({ pointer, item }) => {
      const field = by.at(-1) ?? '';
      return {
        pointer,
        sentence: `${pathOf(pointer)}.${field}: ${JSON.stringify(Object(item)[field])} is there twice`,
      };
    });
}

function belowLinks(value: unknown, nodes: readonly Item[]): Found[] {
  const links = itemsAt(value, '/storage/links').map(({ item }) => String(Object(item).path));
  return nodes.flatMap(({ pointer, item }) => {
    const path = String(Object(item).path);
    const link = links.find((one) => path.startsWith(`${one}/`));
    if (link === undefined) return [];
    return [
      {
        pointer,
        sentence: `${pathOf(pointer)}.path: ${JSON.stringify(path)} is below the link ${link}`,
      },
    ];
  });
}

/** Numbers of 0 and what has no place of its own get one on the machine. */
function partitionFaults(partitions: readonly Item[]): Found[] {
  const numbered = partitions.filter(({ item }) => Object(item).number > 0);
  const labelled = partitions.filter(({ item }) => Object(item).label !== undefined);
  const placed = partitions
    .map(({ pointer, item }) => {
      const { startMiB = 0, sizeMiB } = Object(item);
      return { pointer, start: Number(startMiB), end: Number(startMiB) + Math.max(sizeMiB - 1, 0) };
    })
    .filter(({ start, end }) => start > 0 && !Number.isNaN(end));
  const overlapping = placed.filter((one, index) =>
    placed.slice(0, index).some(({ start, end }) => one.start <= end && start <= one.end),
  );
  return [
    ...repeated(numbered, 'number'),
    ...repeated(labelled, 'label'),
    ...overlapping.map(({ pointer }) => ({
      pointer,
      sentence: `${pathOf(pointer)}: it overlaps with a partition before it`,
    })),
  ];
}
