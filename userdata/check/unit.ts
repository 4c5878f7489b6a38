/** Units of systemd, as far as their syntax goes (systemd.syntax). */

/** Sentences; lines of a continuation and comments say nothing. */
export function unitFaults(contents: string): string[] {
  const faults: string[] = [];
  let isInSection = false;
  let isContinued = false;
  for (const [index, line] of contents.split('\n').entries()) {
    const text = line.trim();
    const isSaid = text !== '' && !/^[#;]/.test(text) && !isContinued;
    const isSection = /^\[[^\]]+\]$/.test(text);
    if (isSaid && isSection) isInSection = true;
    else if (isSaid && (!isInSection || !/^[^=[]+=/.test(text))) {
      const allowed = isInSection ? 'NAME=VALUE, and no section' : 'a section, such as [Service]';
      faults.push(`its line ${index + 1} is not ${allowed}: ${JSON.stringify(text.slice(0, 64))}`);
    }
    isContinued = line.endsWith('\\') && !/^[#;]/.test(text);
  }
  return faults;
}
