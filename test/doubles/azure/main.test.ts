/** The double as a process of its own, as end-to-end tests use it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

interface AdminCall {
  url: string;
  ca: string;
  method?: string;
  body?: object;
}

async function ask({ url, ca, method = 'GET', body }: AdminCall): Promise<unknown> {
  const asking = request(url, { method, ca });
  asking.end(body && JSON.stringify(body));
  const [response] = await once(asking, 'response');
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return JSON.parse(text);
}

test('the double of Azure prints its address, answers, and ends', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'azure-main-'));
  const caFile = join(folder, 'ca.pem');
  const script = new URL('main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, '--port', '0', '--ca-file', caFile]);
  try {
    const [line] = await once(createInterface(child.stdout), 'line');
    const { url, application } = JSON.parse(String(line));
    expect(application).toHaveProperty('clientSecret');
    const ca = readFileSync(caFile, 'utf8');
    const admin = `${url}/_double`;
    expect(await ask({ url: `${admin}/resources`, ca })).toEqual({ resources: [], created: {} });
    const fault = { kind: 'throttle' };
    expect(await ask({ url: `${admin}/faults`, ca, method: 'POST', body: fault })).toEqual({});
    expect(await ask({ url: `${admin}/calls`, ca })).toEqual({ calls: [] });
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  }
});
