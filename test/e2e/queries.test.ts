/** Every visibility query that the documentation shows is understood by the Temporal server. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { repository } from '../../deploy/local/layout.ts';
import { useScenario } from './support/scenario.ts';

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
