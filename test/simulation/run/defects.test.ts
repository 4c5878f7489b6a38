import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Copy } from '../../mutants/copy.ts';
import { chosenDefects, withDefect, type Defect } from './defects.ts';

const file = 'test/simulation/run/defects.ts';
const defect: Defect = {
  id: 'D1',
  title: 'two lines',
  edits: [
    { file, from: 'export function chosenDefects(', to: 'export function one(' },
    { file, from: 'export async function withDefect<T>(', to: 'export async function two<T>(' },
  ],
};

let copy: Copy;
beforeAll(async () => {
  copy = await Copy.make();
});
afterAll(async () => {
  await copy[Symbol.asyncDispose]();
});

test('a defect is in the copy while it is tried, with all its edits, and not afterwards', async () => {
  const read = (): Promise<string> => readFile(join(copy.folder, file), 'utf8');
  const before = await read();
  const during = await withDefect(copy, defect, read);
  expect(during).toContain('export function one(');
  expect(during).toContain('export async function two<T>(');
  expect(await read()).toBe(before);
});

test('a defect that does not fit is refused', async () => {
  const misfit = { ...defect, edits: [{ file, from: 'no such text', to: '' }] };
  await expect(withDefect(copy, misfit, () => Promise.resolve())).rejects.toThrow(
    `D1: ${file} has its text 0 times instead of once`,
  );
});

test('defects are chosen by id', () => {
  const other = { ...defect, id: 'D2' };
  expect(chosenDefects([defect, other], 'D2')).toEqual([other]);
  expect(chosenDefects([defect, other])).toHaveLength(2);
  expect(() => chosenDefects([defect], 'D9')).toThrow('--only: "D9" is not one of D1');
});
