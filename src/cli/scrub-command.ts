import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import { PawlError } from '@pawl/base/errors'
import { type Print, printJson } from './output.ts'

class DeliveryUnreadable extends PawlError {
  readonly code = 'delivery_unreadable'
}

/** Adds `scrub`, which turns a real delivery into a fixture, with a new secret each time. */
export function addScrubCommand(program: Command, { print }: { print: Print }): void {
  program
    .command('scrub')
    .description(
      'turn a delivery, or any JSON of the service, into a draft of a fixture, which may still name people: pawl scrub < delivery.json',
    )
    .action(async () => {
      const { scrub } = await import('../testing/scrub/scrub.ts')
      printJson(print, scrub(parse(await text(process.stdin))))
    })
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    // The parser's message quotes the body.
    throw new DeliveryUnreadable('Standard input is not JSON: pawl scrub < delivery.json')
  }
}
