import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forget, startLogs } from '../../../deploy/local/kept-state.ts';
import { layoutOf, type Layout } from '../../../deploy/local/layout.ts';

function aStateFolder(): Layout {
  const layout = layoutOf(mkdtempSync(join(tmpdir(), 'millwright-kept-')));
  mkdirSync(join(layout.logs, 'e2e'), { recursive: true });
  mkdirSync(layout.etcdData, { recursive: true });
  for (const name of ['supervisor', 'etcd', 'kube-scheduler.previous'])
    writeFileSync(layout.logOf(name), `of ${name}\n`);
  writeFileSync(join(layout.stateDir, 'of-the-person'), '');
  return layout;
}

test('a fresh start forgets everything but the log that its supervisor writes to', () => {
  const layout = aStateFolder();
  forget(layout);
  startLogs(layout);
  appendFileSync(layout.logOf('supervisor'), 'why it failed\n');
  expect(readdirSync(layout.logs)).toEqual(['supervisor.log']);
  expect(readFileSync(layout.logOf('supervisor'), 'utf8')).toBe('why it failed\n');
  expect(existsSync(layout.etcdData)).toBe(false);
  expect(existsSync(join(layout.stateDir, 'of-the-person'))).toBe(true);
});

test('another start keeps the logs of the run before', () => {
  const layout = aStateFolder();
  startLogs(layout);
  expect(readdirSync(layout.logs).toSorted()).toEqual([
    'e2e',
    'etcd.previous.log',
    'kube-scheduler.previous.log',
    'supervisor.log',
  ]);
});
