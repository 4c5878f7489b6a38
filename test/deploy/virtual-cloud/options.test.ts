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
  { name: 'no folder', args: [], says: '--data: missing' },
  {
    name: 'no port',
    args: ['--data', 'd', '--listen', 'localhost'],
    says: '"localhost" is not HOST:PORT',
  },
  {
    name: 'a port too high',
    args: ['--data', 'd', '--listen', 'h:70000'],
    says: '"h:70000" is not HOST:PORT',
  },
  { name: 'an unknown flag', args: ['--date', 'd'], says: '--date' },
])('the virtual cloud refuses the option: $name', ({ args, says }) => {
  expect(() => parseOptions(args)).toThrow(says);
});
