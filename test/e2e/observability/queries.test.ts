/**
 * Every visibility query that the documentation shows is understood by the Temporal server, and
 * each saved view opens in its UI.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from '../../../deploy/local/layout.ts';
import { savedViews } from '../../docs/temporal-ui.ts';
import { eventually } from '../../support/eventually.ts';
import { useScenario } from '../support/scenario.ts';
import { testStack } from '../support/test-stack.ts';

/** In backticks, in quotes of a shell, or as a line of its own. */
const query = /(?<=[`']|^)(?:ExecutionStatus|WorkflowType) ?(?:=|IN)[^`'\n]*/gm;

function shownQueries(): string[] {
  const folder = join(repository, 'docs');
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const found = pages.flatMap((page) => page.match(query) ?? []);
  return [...new Set(found.map((text) => text.trim()))].toSorted();
}

describe('the Temporal server', () => {
  const { workflows } = useScenario('queries');
  const shown = shownQueries();

  test('is asked all queries of the documentation', () => {
    expect(shown.length).toBeGreaterThan(25);
  });

  test.each(shown)('understands %s', async (text) => {
    expect(await workflows.count(text)).toBeGreaterThanOrEqual(0);
  });

  test('refuses a query for an attribute that is not registered', async () => {
    await expect(workflows.count('MachineColour = "red"')).rejects.toMatchObject({
      cause: { details: expect.stringContaining('MachineColour') },
    });
  });
});

/** What the page of a list asks its own server for; it says so when that is refused. */
describe('the Temporal UI', () => {
  const origin = `http://127.0.0.1:${testStack().stack.ports.temporalUi}`;

  /** A production server answers ten of them a second, and the counts above were many. */
  async function answerOf(path: string, asked: string): Promise<{ status: number; body: string }> {
    return await eventually('there is room for one more list', async () => {
      const response = await fetch(`${origin}${path}?query=${encodeURIComponent(asked)}`);
      expect(response.status).not.toBe(429);
      return { status: response.status, body: await response.text() };
    });
  }

  test.each(savedViews())('lists $name', async ({ linked = '', url }) => {
    const page = await fetch(`${origin}${url?.pathname}${url?.search}`);
    expect(page.status).toBe(200);
    const { status, body } = await answerOf(`/api/v1${url?.pathname}`, linked);
    expect({ status, body }).toMatchObject({ status: 200 });
    expect(JSON.parse(body)).not.toHaveProperty('code');
  });

  test('refuses a list of an attribute that is not registered', async () => {
    const path = '/api/v1/namespaces/default/workflows';
    expect(await answerOf(path, 'MachineColour = "red"')).toMatchObject({
      status: 400,
      body: expect.stringContaining('MachineColour'),
    });
  });
});
