/** Comments of generated types, in the form that ours have: on one line, or at most 100 columns. */
const widthMax = 100;

export function wrapComments(code: string): string {
  return code
    .replaceAll(/^( *)\/\*\*\n\s*\* (.*)\n\s*\*\//gm, onOneLine)
    .replaceAll(/^( *\* )(.*)$/gm, wrapLine);
}

function onOneLine(comment: string, indent: string, text: string): string {
  const line = `${indent}/** ${text} */`;
  return line.length <= widthMax ? line : comment;
}

function wrapLine(line: string, prefix: string, text: string): string {
  if (line.length <= widthMax) return line;
  const width = widthMax - prefix.length;
  const rows = text.match(new RegExp(`.{1,${width}}(?: |$)`, 'g')) ?? [text];
  return rows.map((row) => `${prefix}${row.trimEnd()}`).join('\n');
}
