/** A certificate that ends: watcher and worker are cut off, and the runbook renews it. */
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namespaced } from '../../../kube/client/paths.ts';
import { deployments } from '../../../cli/install/deployments.ts';
import { eventually } from '../../support/eventually.ts';
import { createMachine, deleteMachine, untilPhase } from '../support/machines.ts';
import { secretManifest } from '../support/manifests.ts';
import { Replicas } from '../support/replicas.ts';
import { Runbook } from '../support/runbook.ts';
import { untilNotStuck, untilStuck } from '../support/runbook-findings.ts';
import { useScenario } from '../support/scenario.ts';
import { TemporalTls } from '../support/temporal-tls.ts';

const secret = 'temporal-tls';

describe('a certificate of watcher and worker', () => {
  const temporal = new TemporalTls();
  const subject = '/CN=millwright';
  // Before they are started with it.
  beforeAll(async () => {
    await temporal.start();
    await temporal.issue('tls', { days: 1, subject });
  });
  const scenario = useScenario('runbook-certificate', {
    isDoubled: false,
    isInOne: true,
    env: () => ({
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_TLS_CLIENT_CERT_PATH: join(temporal.folder, 'tls.crt'),
      TEMPORAL_TLS_CLIENT_KEY_PATH: join(temporal.folder, 'tls.key'),
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(temporal.folder, 'ca.crt'),
    }),
  });
  const { cluster, namespace, operator } = scenario;
  const mount = { secret, folder: temporal.folder };
  const replicas = new Replicas(scenario, { mount, nodeName: 'none' });
  afterAll(async () => {
    await replicas.stop();
    await cluster.delete(deployments(namespace));
    await temporal.stop();
  });

  test('that ends is seen before, when it has ended, and renewed', async () => {
    await replicas.start();
    const page = await Runbook.of(scenario, 'certificate-expiry', {
      SECRET: secret,
      CA_CERT: 'ca.crt',
      CA_KEY: 'ca.key',
    });
    const found = {
      trouble: 'certificate-expiry',
      object: 'lease/millwright',
      cause: /^the certificate in .*tls\.crt of watcher and worker (ends|has ended)$/,
      way: 'rollout restart deployment',
    };
    await untilStuck(page, found);
    await temporal.issue('tls', { days: 0, subject });
    const files = ['tls.crt', 'tls.key', 'ca.crt'].map((name) => [
      name,
      readFileSync(join(temporal.folder, name), 'utf8'),
    ]);
    await cluster.kube.create(
      namespaced('secrets', namespace),
      secretManifest({ namespace, name: secret }, Object.fromEntries(files)),
    );
    for (const name of ['ca.crt', 'ca.key']) {
      copyFileSync(join(temporal.folder, name), join(page.folder, name));
    }
    await operator.retire('worker');
    operator.startAgain('worker');
    const name = await createMachine(scenario, 'waiting');
    await eventually('the worker is refused, and says that it is cut off', () => {
      expect([...temporal.refusals]).toEqual(['CERT_HAS_EXPIRED']);
      expect(readFileSync(join(operator.logs, 'worker.log'), 'utf8')).toMatch(
        /"server":"Temporal at .*"cannot be reached"/,
      );
    });
    // No watcher leads now: the end of the certificate is on the Lease of the last one.
    await untilStuck(page, found);
    const seen = await page.run('Look');
    expect(seen).toMatch(/^tls\.crt: subject=CN = millwright$/m);
    expect(seen).toMatch(/^tls\.crt: Certificate will expire$/m);
    expect(seen).toMatch(/^ca\.crt: notAfter=.* GMT$/m);
    // But for what the CRD gives to each new Machine.
    expect(Object.keys((await cluster.machine(name)).status ?? {})).toEqual(['conditions']);
    await page.run('Renew it by hand');
    await page.run('Do not wait');
    await untilPhase(scenario, name, 'Running');
    expect(await page.run('Look')).not.toContain('will expire');
    await untilNotStuck(page, 'certificate-expiry');
    await deleteMachine(scenario, name);
  });
});
