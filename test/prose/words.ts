/**
 * Words that this project used for what Kubernetes, client-go and Temporal have a word for, or that
 * hide who acts. Each may stand in so many lines of the source and no more: write the proper word
 * instead, and lower the number when it has become smaller.
 */
export interface HomeMadeWord {
  /** A regular expression of whole words, without regard to case. */
  word: string;
  instead: string;
  linesMax: number;
}

export const homeMadeWords: readonly HomeMadeWord[] = [
  { word: 'look|looks|looked|looking', instead: 'read, list, check, search', linesMax: 102 },
  { word: 'tell|tells|told', instead: 'signal, report, record an Event', linesMax: 9 },
  { word: 'judge|judges|judged', instead: 'validate, evaluate', linesMax: 0 },
  { word: 'survey|surveys|surveyed', instead: 'observe', linesMax: 0 },
  { word: 'demand|demands', instead: 'desired', linesMax: 0 },
  { word: 'tend|tends|stray|strays|astray', instead: 'update, unmatched', linesMax: 0 },
  { word: 'sighting|sightings', instead: 'snapshot version', linesMax: 0 },
  { word: 'licence|licences|licensed', instead: 'active watcher, leader', linesMax: 0 },
  {
    word: 'tenure|outbox|parcel|scene|desk',
    instead: 'session, queue, signal, context',
    linesMax: 0,
  },
  { word: 'foreign', instead: 'external, of another owner', linesMax: 9 },
  { word: 'weigh|weighs|amiss', instead: 'evaluate, mismatch', linesMax: 0 },
  { word: 'steer|steers|steered', instead: 'command', linesMax: 0 },
  { word: 'wish|wishes|wished', instead: 'desired, requested', linesMax: 28 },
  { word: 'mend|mends|mended', instead: 'fix', linesMax: 0 },
  { word: 'whoever|nobody|somebody', instead: 'who it is: the watcher, a person', linesMax: 9 },
  { word: 'life|lives', instead: 'run, object', linesMax: 95 },
];
