/**
 * deploy/examples/temporal: the server finds its database. With the chart of Temporal the values
 * were rendered by hand.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { repository } from '../../../deploy/local/layout.ts';
import { RunbookPage } from '../../e2e/support/runbook-page.ts';

const page = new RunbookPage('../clouds/aws-from-nothing.md');
const read = (file: string): string =>
  readFileSync(join(repository, 'deploy/examples/temporal', file), 'utf8');

describe('the values of Temporal', () => {
  const values = parse(read('values.yaml'));
  const objects = parseAllDocuments(read('postgresql.yaml')).map((one) => one.toJS());
  const [service, statefulSet] = objects;

  test('lead to the PostgreSQL beside them, with the Secret that the page makes', () => {
    const { datastores } = values.server.config.persistence;
    const { name: host } = service.metadata;
    const [container] = statefulSet.spec.template.spec.containers;
    const [port] = service.spec.ports;
    const ofServer = container.env.find((one: { name: string }) => one.name === 'POSTGRES_USER');
    const ofSecret = container.env.find((one: { name: string }) => one.name === 'POSTGRES_PASSWORD')
      .valueFrom.secretKeyRef;
    for (const { sql } of [datastores.default, datastores.visibility]) {
      expect(sql.connectAddr).toBe(`${host}:${port.port}`);
      expect(sql.user).toBe(ofServer.value);
      expect({ name: sql.existingSecret, key: sql.secretKey }).toEqual(ofSecret);
    }
    const { name: secret, key } = ofSecret;
    expect(page.commandsBelow('1. Temporal').join('\n')).toContain(
      `create secret generic ${secret} --from-literal=${key}=`,
    );
  });

  test('name the version of the chart that the page installs', () => {
    const [, version] = /--version (\S+)/.exec(page.commandsBelow('1. Temporal').join('\n')) ?? [];
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(read('values.yaml')).toContain(`version ${version}`);
  });
});
