import { once } from 'node:events'
import { type AddressInfo, connect as connectPlain, type Socket } from 'node:net'
import { createServer, type TlsOptions } from 'node:tls'
import { type Hl7Connection, Hl7Server } from '@medplum/hl7'
import type { Hl7Message, Hl7Segment } from '@medplum/core'

/** Answer of a listener: acknowledgements by code, with the segments that follow MSA, or its own bytes. */
export type Answer = { code: string; more?: readonly string[] } | { raw: string } | 'nothing'

/** A document as the listener holds it. */
export interface HeldDocument {
  number: string
  status: 'available' | 'obsolete' | 'cancelled'
  patientNumber: string
  message: Hl7Message
}

/**
 * A listener for documents on the server of `@medplum/hl7`, stricter than most: it refuses what the standard requires and is missing, a replacement of or an
 * end to a document that it does not hold (204), and a second document under a number it holds (205). Two OBX with one OBX-3 need an OBX-4 that tells them
 * apart: the two make an OBX unique (v2plus.hl7.org/2021Jan/data-type/OG.html, looked up 2026-11-28; 7.4.2.4 of v2.5.1 itself was not). TXA-17 AU or LA needs
 * person and time in TXA-22 (HL7 v2.5.1, 9.6.1.22, looked up 2026-11-28). TXA-4 needs TXA-5, which is conditional (C in hl7.eu/refactored/segTXA.html,
 * looked up 2026-11-28; the condition itself was not). A repeated control id is answered as the first time, and stored once (2.9.2).
 */
export interface Hl7Listener {
  /** On 127.0.0.1. */
  port: number
  /** All messages as they arrived, repeated ones included. */
  received: Hl7Message[]
  /** Every document ever stored, in order. */
  documents(this: void): HeldDocument[]
  /** From now on it answers so, and stores nothing unless `isStored`; without an answer, as by itself. */
  answer(
    this: void,
    answer?: (message: Hl7Message) => Answer | undefined,
    options?: { isStored?: boolean; afterMs?: number },
  ): void
  /** Merges a patient's record into another one, as staff do: its documents move there, and its number means the other. */
  mergePatient(this: void, number: string, into: string): void
  /** Deletes a patient's record with its documents, as staff do. */
  removePatient(this: void, number: string): void
  connections(this: void): number
  /** How many connections there ever were. */
  opened(this: void): number
  dropConnections(this: void): void
  close(this: void): Promise<void>
}

export async function startHl7Listener({ isEnhanced = false } = {}): Promise<Hl7Listener> {
  const received: Hl7Message[] = []
  const held: HeldDocument[] = []
  const merged = new Map<string, string>()
  const answered = new Map<string, Answer>()
  const open = new Set<Hl7Connection>()
  let opened = 0
  let own: { answer: (message: Hl7Message) => Answer | undefined; isStored: boolean; afterMs: number } | undefined
  const accept = isEnhanced ? 'CA' : 'AA'
  const refuse = (condition: number, place: string): Answer => ({
    code: isEnhanced ? 'CE' : 'AE',
    more: [`ERR||${place}|${condition}^see SAMPLE^HL70357|E||||the words of a listener quote Testa`],
  })

  function store(message: Hl7Message): Answer {
    const fault = faultOf(message)
    if (fault !== undefined) return refuse(101, fault)
    const event = message.header.getComponent(9, 2)
    const txa = message.getSegment('TXA')
    const number = txa?.getComponent(12, 1) ?? ''
    const parent = txa?.getComponent(13, 1) ?? ''
    const sent = message.getSegment('PID')?.getComponent(3, 1) ?? ''
    const patientNumber = merged.get(sent) ?? sent
    const find = (wanted: string) =>
      held.find((each) => each.number === wanted && each.status === 'available' && each.patientNumber === patientNumber)
    if (event === 'T11') {
      const document = find(number)
      if (document === undefined) return refuse(204, 'TXA^1^12')
      document.status = 'cancelled'
      return { code: accept }
    }
    if (held.some((each) => each.number === number)) return refuse(205, 'TXA^1^12')
    if (event === 'T10') {
      const document = find(parent)
      if (document === undefined) return refuse(204, 'TXA^1^13')
      document.status = 'obsolete'
    }
    held.push({ number, status: 'available', patientNumber, message })
    return { code: accept }
  }

  function take(message: Hl7Message): Answer {
    received.push(message)
    const id = message.header.getComponent(10, 1)
    if (own !== undefined && !own.isStored) return own.answer(message) ?? 'nothing'
    const first = answered.get(id) ?? store(message)
    answered.set(id, first)
    return own?.answer(message) ?? first
  }

  const server = new Hl7Server((connection) => {
    open.add(connection)
    opened += 1
    connection.addEventListener('close', () => open.delete(connection))
    connection.addEventListener('error', () => {})
    connection.addEventListener('message', ({ message }) => {
      const answer = take(message)
      setTimeout(() => send(connection.socket, message, answer), own?.afterMs ?? 0)
    })
  })
  server.start(0)
  const { server: listening } = server
  if (listening === undefined) throw new Error('The server has no socket.')
  if (!listening.listening) await once(listening, 'listening')
  return {
    // A server that listens on a port has an address object; the type also knows pipes.
    port: (listening.address() as AddressInfo).port,
    received,
    documents: () => held,
    answer: (answer, { isStored = false, afterMs = 0 } = {}) =>
      void (own = answer === undefined ? undefined : { answer, isStored, afterMs }),
    mergePatient(number, into) {
      merged.set(number, into)
      for (const each of held) if (each.patientNumber === number) each.patientNumber = into
    },
    removePatient(number) {
      for (const each of held) if (each.patientNumber === number) each.status = 'cancelled'
    },
    connections: () => open.size,
    opened: () => opened,
    dropConnections: () => open.forEach(({ socket }) => socket.destroy()),
    async close() {
      for (const { socket } of open) socket.destroy()
      await server.stop({ forceDrainTimeoutMs: 0 })
    },
  }
}

function send(socket: Socket, message: Hl7Message, answer: Answer): void {
  if (answer === 'nothing' || socket.destroyed) return
  if ('raw' in answer) return void socket.write(answer.raw)
  socket.write(`\u000B${acknowledgementOf(message, answer)}\u001C\r`)
}

/** One acknowledgement as text, for another control id where a test wants one. */
export function acknowledgementOf(
  message: Hl7Message,
  { code, more = [] }: { code: string; more?: readonly string[] },
  controlId = message.header.getComponent(10, 1),
): string {
  const ack = message.buildAck()
  return [ack.header.toString(), `MSA|${code}|${controlId}`, ...more, ''].join('\r')
}

/** The first field that HL7 v2.3.1 to 2.7 require in an MDM and this one lacks, as ERR-2 names it. */
function faultOf(message: Hl7Message): string | undefined {
  const event = message.header.getComponent(9, 2)
  const segments = message.segments.map(({ name }) => name)
  const withContent = event === 'T11' ? [] : ['OBX']
  for (const name of ['MSH', 'EVN', 'PID', 'PV1', 'TXA', ...withContent])
    if (!segments.includes(name)) return `${name}^1`
  const required: readonly [segment: string, fields: readonly number[]][] = [
    ['MSH', [3, 7, 9, 10, 11, 12]],
    ['EVN', [2]],
    ['PID', [3, 5]],
    ['PV1', [2]],
    ['TXA', [1, 2, 12, 17]],
    ...withContent.map((name): [string, number[]] => [name, [2, 3, 11]]),
  ]
  for (const [name, fields] of required)
    for (const segment of message.getAllSegments(name))
      for (const field of fields) if (valueOf(segment, field) === '') return `${name}^1^${field}`
  const observations = message.getAllSegments('OBX')
  const places = observations.map((obx) => `${valueOf(obx, 3)}|${valueOf(obx, 4)}`)
  const repeated = places.findIndex((place, index) => places.indexOf(place) !== index)
  if (repeated !== -1) return `OBX^${repeated + 1}^4`
  const txa = message.getSegment('TXA')
  const isAuthenticated = ['AU', 'LA'].includes(txa?.getComponent(17, 1) ?? '')
  if ((txa?.getComponent(4, 1) ?? '') !== '' && (txa?.getComponent(5, 1) ?? '') === '') return 'TXA^1^5'
  if (isAuthenticated && [1, 15].some((part) => (txa?.getComponent(22, part) ?? '') === '')) return 'TXA^1^22'
  if (message.header.getComponent(10, 1).length > 20) return 'MSH^1^10'
  if (`${message.getSegment('TXA')?.getField(12).toString()}`.length > 30) return 'TXA^1^12'
  return undefined
}

function valueOf(segment: Hl7Segment, field: number): string {
  return segment.getField(field)?.toString() ?? ''
}

/** A door by TLS in front of a port of 127.0.0.1; it counts the handshakes that failed. */
export async function startTlsDoor(port: number, options: TlsOptions) {
  const sockets = new Set<Socket>()
  const server = createServer(options, (near) => {
    sockets.add(near.on('error', () => {}))
    const far = connectPlain(port, '127.0.0.1').on('error', () => near.destroy())
    near.pipe(far).pipe(near)
    near.on('close', () => {
      sockets.delete(near)
      far.destroy()
    })
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    // As above.
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
