// Server-sent events out of the bytes of an answer. Pure: what comes in pieces goes out as whole events.

export interface ServerEvent { event: string; data: string }

export class EventReader {
  private rest = '';

  // The events that this piece completes.
  push(piece: string): ServerEvent[] {
    this.rest += piece;
    const blocks = this.rest.split(/\r?\n\r?\n/);
    this.rest = blocks.pop() ?? '';
    return blocks.map(eventOf).filter((one) => one.data !== '');
  }
}

function eventOf(block: string): ServerEvent {
  let event = 'message';
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const at = line.indexOf(':');
    const [name, value] = at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')];
    if (name === 'event') event = value;
    if (name === 'data') data.push(value);
  }
  return { event, data: data.join('\n') };
}
