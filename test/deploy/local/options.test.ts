import { defaultOptions, parseStartArguments } from '../../../deploy/local/options.ts';

describe('the command line of npm start', () => {
  test('without arguments starts everything, keeps the state and stays in the foreground', () => {
    expect(parseStartArguments([])).toEqual({
      help: false,
      detach: false,
      options: defaultOptions,
    });
  });

  test('every option is read', () => {
    const args =
      '--detach --no-operator --fresh --audit --autoscaler --front --monitoring --update-agent --namespace shoot --state-dir /tmp/x --temporal-address temporal:7233'.split(
        ' ',
      );
    expect(parseStartArguments(args)).toEqual({
      help: false,
      detach: true,
      options: {
        stateDir: '/tmp/x',
        namespace: 'shoot',
        operator: false,
        doubled: false,
        fresh: true,
        audit: true,
        autoscaler: true,
        front: true,
        monitoring: true,
        updateAgent: true,
        temporal: 'development',
        workerFlags: [],
        temporalAddress: 'temporal:7233',
      },
    });
  });

  test('--temporal names the Temporal server that is started', () => {
    expect(parseStartArguments(['--temporal=postgresql'])).toMatchObject({
      options: { temporal: 'postgresql' },
    });
    expect(parseStartArguments(['--temporal=development'])).toMatchObject({
      options: { temporal: 'development' },
    });
  });

  test.each([
    { args: ['--fresh', '--keep'], message: '--fresh and --keep exclude each other' },
    { args: ['--namespace', 'Not_One'], message: '--namespace: "Not_One" is not a namespace name' },
    {
      args: ['--temporal-address', 'http://temporal:7233'],
      message: '--temporal-address: "http://temporal:7233" is not HOST:PORT',
    },
    { args: ['--temporal-address', 'temporal:0'], message: 'is not HOST:PORT' },
    {
      args: ['--temporal=mysql'],
      message: '--temporal: "mysql" is not one of development, postgresql',
    },
    {
      args: ['--temporal=postgresql', '--temporal-address=temporal:7233'],
      message: '--temporal and --temporal-address exclude each other',
    },
    { args: ['--fersh'], message: "Unknown option '--fersh'" },
  ])('$args is refused', ({ args, message }) => {
    expect(() => parseStartArguments(args)).toThrow(message);
  });
});
