/** What our processes of a local stack are started with, and one more that a person starts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { operatorEnvironment } from '../../../deploy/local/components/operator.ts';
import { layoutOf } from '../../../deploy/local/layout.ts';
import { defaultOptions } from '../../../deploy/local/options.ts';
import { choosePorts } from '../../../deploy/local/supervision/ports.ts';

const stateDir = mkdtempSync(join(tmpdir(), 'millwright-operator-'));
const layout = layoutOf(stateDir);
mkdirSync(layout.pki, { recursive: true });
writeFileSync(join(layout.pki, 'ca.crt'), 'the certificate authority of a cluster');
let port = 20_000;
const { ports } = await choosePorts(
  {},
  { isFree: async () => true, anyFree: async () => (port += 1) },
);

afterAll(() => rmSync(stateDir, { recursive: true, force: true }));

describe('what one more worker takes from the stack', () => {
  test('names the cluster where others use the Temporal server as well', () => {
    const options = { ...defaultOptions, stateDir, temporalAddress: 'temporal.example:7233' };
    expect(operatorEnvironment({ options, layout, ports })).toMatchObject({
      TEMPORAL_ADDRESS: 'temporal.example:7233',
      MILLWRIGHT_FLAGS: expect.stringMatching(/^--cluster-name=local-[\da-f]{8}$/),
    });
  });

  test('names no cluster where the stack has a Temporal server of its own', () => {
    const options = { ...defaultOptions, stateDir };
    const environment = operatorEnvironment({ options, layout, ports });
    expect(environment).not.toHaveProperty('MILLWRIGHT_FLAGS');
  });
});
