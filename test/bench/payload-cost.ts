/**
 * What the encryption of a payload costs, in bytes and in time of one core:
 * `node test/bench/payload-cost.ts`. The payloads are those of the recorded histories, so as large
 * as those of a real install.
 */
import { createSecretKey, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Payload } from '@temporalio/common';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { createCodec } from '../../workers/payloads/codec.ts';
import { payloadsOf } from '../e2e/support/payloads.ts';

const folder = new URL('../replay/', import.meta.url).pathname;
const codec = createCodec([{ id: '2026-11', key: createSecretKey(randomBytes(32)) }]);
const context = { type: 'workflow', namespace: 'default', workflowId: '' } as const;
const rounds = 200;

function recorded(): Payload[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files.flatMap((file) => {
    const value: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const isHistory = typeof value === 'object' && value !== null && 'events' in value;
    return isHistory ? payloadsOf(historyFromJSON(value)) : [];
  });
}

const bytesOf = (payloads: readonly Payload[]): number =>
  payloads
    .flatMap(({ metadata, data }) => [...Object.values(metadata ?? {}), data])
    .reduce((sum, part) => sum + (part?.length ?? 0), 0);

async function microsecondsEach(work: (all: Payload[]) => Promise<unknown>, all: Payload[]) {
  const { user, system } = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) await work(all);
  const now = process.cpuUsage();
  return (now.user + now.system - user - system) / (rounds * all.length);
}

const plain = recorded();
const encrypted = await codec.encode(plain, context);
const { encode, decode } = {
  encode: await microsecondsEach((all) => codec.encode(all, context), plain),
  decode: await microsecondsEach((all) => codec.decode(all, context), encrypted),
};
const each = (bytes: number): string => (bytes / plain.length).toFixed(0);
console.log(`${plain.length} payloads of recorded histories
bytes of each:  plain ${each(bytesOf(plain))}, encrypted ${each(bytesOf(encrypted))}
CPU of each:    encrypt ${encode.toFixed(1)} µs, decrypt ${decode.toFixed(1)} µs`);
