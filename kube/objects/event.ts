/** Content of an Event, and its object. */

export interface EventSubject {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
}

export interface EventText {
  type: 'Normal' | 'Warning';
  /** UpperCamelCase. */
  reason: string;
  message: string;
  /** Source component; MCM's names where MCM emits the event. */
  component: string;
}

export interface Occurrence {
  subject: EventSubject;
  text: EventText;
  /** Milliseconds. */
  at: number;
}
