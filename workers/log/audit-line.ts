/** The log line of a command, or of what became of an instance: docs/logs.md. */

interface Entry {
  verb: string;
  /** `Machine shoot--dev/pool-a`. */
  object: string;
  uid?: string;
  providerID?: string;
  through?: string;
  by?: string;
  identity?: string;
  workflowId?: string;
  runId?: string;
}

/**
 * Fields and message. Whatever else the entry has goes into fields of the line. The field `audit`
 * says who asked; beside it stands what other lines have as well: the object by its kind, the run.
 */
export function auditLine(entry: Entry): [Record<string, unknown>, string] {
  const { verb, object, uid, through, by, identity, ...facts } = entry;
  const { providerID, workflowId, runId } = facts;
  const who = { verb, object, uid, providerID, through, by, identity };
  const [kind = '', name] = object.split(' ');
  const audit = Object.fromEntries(
    Object.entries({ ...who, workflowId, runId }).filter(([, value]) => value !== undefined),
  );
  const field = `${kind.slice(0, 1).toLowerCase()}${kind.slice(1)}`;
  return [{ [field]: name, ...facts, audit }, `${verb} ${object}`];
}
