/** A trouble as `millwright stuck` and `millwright explain` tell it, by which a page is found. */
import { eventually } from '../../support/eventually.ts';
import type { Runbook } from './runbook.ts';

export interface Found {
  trouble: string;
  /** As `machine/NAME`; a part of it will do. */
  object: string;
  /** Words of the cause. */
  cause: string | RegExp;
  /** Words of the commands that are offered. Default: none need be offered. */
  way?: string | RegExp;
  /** Of `stuck`. Default none. */
  options?: string;
}

interface Finding {
  trouble?: string;
  runbook?: string;
  object: { kind: string; name: string };
  cause: string;
  commands: string[];
}

interface Findings {
  findings: Finding[];
}

/** Waits until `stuck` names the trouble of an object, with its cause and a way out. */
export async function untilStuck(page: Runbook, found: Found): Promise<void> {
  await untilNamed(page, `stuck ${found.options ?? ''}`, found);
}

/** Waits until `stuck` does not name the trouble any more. */
export async function untilNotStuck(page: Runbook, trouble: string): Promise<void> {
  await eventually(`stuck does not name ${trouble}`, async () => {
    expect(await page.type('millwright stuck -n "$NAMESPACE"')).not.toContain(trouble);
  });
}

/**
 * The same of `stuck`, and of what `explain` says of the object, or of another one that it holds
 * up.
 */
export async function untilExplained(
  page: Runbook,
  found: Found,
  explained = found.object,
): Promise<void> {
  await untilNamed(page, 'stuck', found);
  await untilNamed(page, `explain ${explained}`, found);
}

async function untilNamed(page: Runbook, command: string, found: Found): Promise<void> {
  const line = `millwright ${command} -n "$NAMESPACE" -o json`;
  await eventually(`${command} names ${found.trouble} of ${found.object}`, async () => {
    const { findings }: Findings = JSON.parse(await page.type(line));
    if (findings.some((finding) => isFound(finding, found))) return;
    // An assertion would not print all of it.
    throw new Error(`it names ${JSON.stringify(findings, undefined, 2)}`);
  });
}

function isFound(finding: Finding, { trouble, object, cause, way = '' }: Found): boolean {
  const { kind, name } = finding.object;
  return (
    finding.trouble === trouble &&
    finding.runbook === `docs/runbooks/${trouble}.md` &&
    `${kind}/${name}`.includes(object) &&
    has(finding.cause, cause) &&
    has(finding.commands.join('\n'), way)
  );
}

function has(text: string, part: string | RegExp): boolean {
  return typeof part === 'string' ? text.includes(part) : part.test(text);
}
