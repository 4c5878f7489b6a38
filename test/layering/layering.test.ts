import { posix } from 'node:path';
import { productFolders, rooms, type Room } from './rooms.ts';
import { readSource, sourcesIn } from './sources.ts';

interface Import {
  file: string;
  room: Room;
  /** Path of a file below the root, or the name of a package. */
  target: string;
  isPackage: boolean;
}

const files = sourcesIn(productFolders);
const imports = files.flatMap(importsOf);

function roomOf(file: string): Room {
  const room = rooms
    .filter(({ folder }) => file.startsWith(`${folder}/`))
    .toSorted((a, b) => b.folder.length - a.folder.length)[0];
  if (!room) throw new Error(`${file} lies in no room`);
  return room;
}

/** Types too, and what a file imports while it runs. */
function importsOf(file: string): Import[] {
  const text = readSource(file);
  const found = text.matchAll(/(?:\bfrom\s+|^import\s+|\bimport\()'([^'$]+)'/gm);
  return [...found].map(([, name = '']) => ({ file, room: roomOf(file), ...targetOf(file, name) }));
}

function targetOf(file: string, name: string): { target: string; isPackage: boolean } {
  if (name.startsWith('.')) {
    return { target: posix.join(posix.dirname(file), name), isPackage: false };
  }
  if (name.startsWith('node:')) return { target: 'node', isPackage: true };
  const parts = name.split('/').slice(0, name.startsWith('@') ? 2 : 1);
  return { target: parts.join('/'), isPackage: true };
}

function isAllowed({ room, target, isPackage }: Import, entry: string): boolean {
  if (isPackage)
    return entry.endsWith('/*') ? target.startsWith(entry.slice(0, -1)) : entry === target;
  if (entry.endsWith('/**')) return target.startsWith(entry.slice(0, -2));
  return `${entry}.ts` === target || (roomOf(target).folder === entry && entry !== room.folder);
}

/** `package.json` and schemas are no rooms. */
const isSource = ({ target, isPackage }: Import): boolean => isPackage || target.endsWith('.ts');
const isOwn = (found: Import): boolean => !found.isPackage && roomOf(found.target) === found.room;
const outward = imports.filter((found) => isSource(found) && !isOwn(found));
const allowedIn = ({ room, isPackage }: Import): readonly string[] =>
  isPackage ? room.packages : room.imports;

test('the layering test reads the source', () => {
  expect(files.length).toBeGreaterThan(300);
  expect(outward.length).toBeGreaterThan(1_000);
});

test('each file imports only what its room may import', () => {
  const wrong = outward.filter(
    (found) => !allowedIn(found).some((entry) => isAllowed(found, entry)),
  );
  expect(wrong.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test('each entry of the table of rooms is used', () => {
  const unused = rooms.flatMap((room) => {
    const own = outward.filter((found) => found.room === room);
    const isUnused = (entry: string, isPackage: boolean): boolean =>
      !own.some((found) => found.isPackage === isPackage && isAllowed(found, entry));
    return [
      ...room.imports.filter((entry) => isUnused(entry, false)),
      ...room.packages.filter((entry) => isUnused(entry, true)),
    ].map((entry) => `${room.folder}: ${entry}`);
  });
  expect(unused).toEqual([]);
});

test('each room imports only rooms that stand before it in the table', () => {
  const upward = outward.filter(
    ({ room, target, isPackage }) =>
      !isPackage && rooms.indexOf(roomOf(target)) > rooms.indexOf(room),
  );
  expect(upward.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test('no file imports itself by way of others', () => {
  expect(filesInCircles()).toEqual([]);
});

/** Without the files that lead to no circle, and those that no circle leads to. */
function filesInCircles(): string[] {
  let left = imports.filter(({ target, isPackage }) => !isPackage && files.includes(target));
  for (;;) {
    const importing = new Set(left.map(({ file }) => file));
    const imported = new Set(left.map(({ target }) => target));
    const inner = left.filter(({ file, target }) => imported.has(file) && importing.has(target));
    if (inner.length === left.length) return [...importing].toSorted();
    left = inner;
  }
}

test('the driver of one cloud imports nothing of another cloud, and the frame nothing of any', () => {
  const known = imports.filter(
    ({ file, target }) => file.startsWith('activities/drivers/frame/') && cloudOf(target),
  );
  expect(known.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
  const crossing = imports.filter(({ file, target }) => {
    const [from, to] = [cloudOf(file), cloudOf(target)];
    return from !== undefined && to !== undefined && from !== to;
  });
  expect(crossing.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

/** The frame is of no cloud. */
function cloudOf(path: string): string | undefined {
  return /^activities\/drivers\/(?!frame\/)([a-z]+)\//.exec(path)?.[1];
}

test('at most twelve files lie directly in workflows/', () => {
  const direct = files.filter((file) => /^workflows\/[^/]+$/.test(file));
  expect(direct.length).toBeLessThanOrEqual(12);
});

test('CONTRIBUTING.md is short enough to be read at once', () => {
  expect(Buffer.byteLength(readSource('CONTRIBUTING.md'))).toBeLessThanOrEqual(7_000);
});
