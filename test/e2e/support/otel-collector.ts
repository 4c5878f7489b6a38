/** The collector of OpenTelemetry: it takes spans as they are sent, and hands them on as JSON. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { preparedBinary } from '../../../deploy/local/binaries/acquire.ts';
import { localPorts } from '../../../deploy/local/supervision/ports.ts';
import { eventually } from './eventually.ts';

export interface Collector {
  /** Where spans are sent. */
  url: string;
  stop(): Promise<void>;
}

/** `receiver`: URL of where they go. */
export async function startCollector(receiver: string): Promise<Collector> {
  const program = await preparedBinary('otel-collector');
  const folder = await mkdtemp(join(tmpdir(), 'millwright-collector-'));
  const endpoint = `127.0.0.1:${await localPorts.anyFree()}`;
  const file = join(folder, 'collector.yaml');
  await writeFile(file, stringify(configOf(endpoint, receiver)));
  const child = spawn(program, ['--config', `file:${file}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const url = `http://${endpoint}`;
  await eventually('the collector listens', async () => {
    if (child.exitCode !== null) throw new Error(said);
    await fetch(url);
  });
  return {
    url,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}

function configOf(endpoint: string, receiver: string): object {
  return {
    receivers: { otlp: { protocols: { http: { endpoint } } } },
    exporters: { otlphttp: { endpoint: receiver, encoding: 'json', compression: 'none' } },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: { traces: { receivers: ['otlp'], exporters: ['otlphttp'] } },
    },
  };
}
