import { parseOptions } from '../../../deploy/local/virtual-cloud/options.ts';

test('the virtual cloud needs only its folder as an option', () => {
  expect(parseOptions(['--data', 'd'])).toEqual({
    host: '127.0.0.1',
    port: 7080,
    dataDir: 'd',
    kubeconfig: undefined,
  });
});

test('--help of the virtual cloud goes before everything', () => {
  expect(parseOptions(['--help'])).toBe('help');
});

test.each([
  ['no folder', [], '--data: missing'],
  ['no port', ['--data', 'd', '--listen', 'localhost'], '"localhost" is not HOST:PORT'],
  ['a port too high', ['--data', 'd', '--listen', 'h:70000'], '"h:70000" is not HOST:PORT'],
  ['an unknown flag', ['--date', 'd'], '--date'],
])('the virtual cloud refuses the option: %s', (_name, args, says) => {
  expect(() => parseOptions(args)).toThrow(says);
});
