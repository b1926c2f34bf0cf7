import { Message } from 'pawl-client/schemas/prior-authorization'
import { type Exact, type Overrides, withOverrides } from './overrides.ts'

const defaults = {
  id: 'msg_1',
  timestamp: '2026-03-01T09:00:00Z',
  content: 'Please add the last lab result.',
  sent_by_name: 'Sample Agent',
  direction: 'received',
  is_resolution: false,
  attachments: [],
}

/** A message of a PA's thread, by default one received from the service. */
export function aMessage(different: Overrides<Message> = {}): Exact<Message> {
  // The compiler cannot see that defaults and overrides hold documented words only.
  return Message.parse(withOverrides(defaults, different)) as Exact<Message>
}
