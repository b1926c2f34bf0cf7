import { expect, it } from 'vitest'
import { toNdc11 } from '../../client/src/schemas/text.ts'

it.each([
  ['12345-6789-01', '12345678901'],
  ['1234-5678-90', '01234567890'],
  ['12345-678-90', '12345067890'],
  ['12345-6789-0', '12345678900'],
  ['12345678901', '12345678901'],
  [' 12345-6789-01 ', '12345678901'],
])('the NDC %s has the 11 digits %s', (sent, digits) => {
  expect(toNdc11(sent)).toBe(digits)
})

it.each(['1234567890', '123456789012', '123456-7890-12', '1234-567-89', '12345-6789', 'Exampline', '', undefined])(
  '%s does not tell 11 digits',
  (sent) => {
    expect(toNdc11(sent)).toBeUndefined()
  },
)
