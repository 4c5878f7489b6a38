import { changesOf, readSeedFile, setupIn } from './seed-files.ts';

const kinds = { faults: ['lostCalls', 'kills'], users: ['scale'] };
const content = { seed: 7, machines: 3, hours: 1.5, faults: ['kills'], users: [], rule: 'a rule' };

test('a file has a setup, and more for people', () => {
  const { rule: _, ...setup } = content;
  expect(setupIn(content, kinds)).toEqual(setup);
});

test.each([
  [{ ...content, faults: ['rain'] }, 'faults: "rain" is not one of all, none, lostCalls, kills'],
  [{ ...content, users: 'scale' }, 'users: "scale" is not a list of names'],
  [{ ...content, machines: 0 }, 'machines: "0" is not a whole number from 1 to 1000'],
  [{ ...content, seed: undefined }, 'seed: "undefined" is not a whole number'],
  [[], 'the file holds no JSON object'],
])('%j is refused', (wrong, message) => {
  expect(() => setupIn(wrong, kinds)).toThrow(message);
});

test('a file that is not there is named', () => {
  expect(() => readSeedFile('no-such-file.json', kinds)).toThrow('no-such-file.json: ENOENT');
});

test('seeds that were changed, removed or not entered are found', () => {
  const manifest = { 'a.json': '1', 'b.json': '2', 'd.json': '4' };
  const held = { 'a.json': '9', 'c.json': '3', 'd.json': '4' };
  expect(changesOf(held, manifest)).toEqual([
    'a.json was changed: a seed stays as it is',
    'b.json is missing: a seed stays for ever',
    'c.json is new: add "c.json": "3" to manifest.json',
  ]);
});
