import { LevelSwitch } from '../../../workers/log/level-switch.ts';
import { createLogger, type Logger } from '../../../workers/log/logger.ts';
import type { LogSettings } from '../../../workers/log/logger.ts';

function aLog(level: LogSettings['level']) {
  const lines: { level: number; msg: string; from?: string; to?: string }[] = [];
  const levels = new LevelSwitch();
  const log = createLogger({
    component: 'worker',
    level,
    format: 'json',
    output: { write: (line: string) => void lines.push(JSON.parse(line)) },
    onChild: (child: Logger) => levels.follow(child),
  });
  return { log, lines, change: () => levels.change(log, level) };
}

test.each([
  { level: 'info', other: 'debug' },
  { level: 'warn', other: 'debug' },
  { level: 'debug', other: 'info' },
  { level: 'trace', other: 'info' },
] as const)('$level changes to $other and back, and each change is said', ({ level, other }) => {
  const { log, lines, change } = aLog(level);
  change();
  expect(log.level).toBe(other);
  change();
  expect(log.level).toBe(level);
  expect(lines).toMatchObject([
    { msg: 'another log level', from: level, to: other },
    { msg: 'another log level', from: other, to: level },
  ]);
});

test('the loggers of namespaces follow', () => {
  const { log, lines, change } = aLog('info');
  const child = log.child({ kube_namespace: 'shoot' });
  child.debug('too little');
  change();
  child.debug('seen');
  change();
  child.debug('too little');
  expect(lines.map(({ msg }) => msg)).toEqual(['another log level', 'seen', 'another log level']);
});
