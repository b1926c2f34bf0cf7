/** Values that a field of each kind takes, and values that it refuses. */
export const kinds = {
  text: { takes: ['x', '00012'], refuses: ['', 5, null, ['x']] },
  'text or empty': { takes: ['x', ''], refuses: [5, null, ['x']] },
  'text or null': { takes: ['x', '', null], refuses: [5, ['x']] },
  date: {
    takes: ['1980-02-29'],
    refuses: ['', '2026-02-30', '1980-2-9', '02/29/1980', '1980-02-29T00:00:00Z', 1980],
  },
  'date-time': {
    takes: ['2026-02-20T10:00:00', '2026-02-20T10:00:00Z', '2026-02-20T10:00:00.500-05:00'],
    refuses: ['', '2026-02-20', '2026-02-30T10:00:00', 'yesterday', 1_771_581_600],
  },
  'date or date-time': {
    takes: ['1980-02-29', '2026-02-20T10:00:00Z'],
    refuses: ['', '2026-02-30', 'yesterday', null],
  },
  'e-mail': {
    takes: ['a.b+c@d-e.example.org'],
    refuses: ['', 'nobody', 'a@b', 'a@b@c.org', '"a b"@c.org', 'a@.org', 5],
  },
  state: { takes: ['MA', 'DC'], refuses: ['', 'XX', 'ma', 'Massachusetts', 5] },
  unit: {
    takes: ['C38046', 'C48542', 'C120216', 'Tablet', 'Pen Needle'],
    refuses: ['', 'C4848O', 'C48473', 'c48542', 'tablet', 'tablets please', 5, null],
  },
  gender: { takes: ['male', 'female', 'other', 'not_specified'], refuses: ['', 'unknown', 'Male', null] },
  BIN: { takes: ['012345'], refuses: ['', '61001', '6100112', '61001a', 610_011, null] },
  NDC: { takes: ['12345678901', '12345-6789-01'], refuses: ['', '123', 12_345_678_901, null] },
  file: { takes: ['AAAA'], refuses: ['', 'not base64!', 'https://files.example.com/card.png', 5, null] },
  'whole number': { takes: [1, 3_000], refuses: [0.5, 1.5, 0, -1, '4', null] },
  number: { takes: [0.5, 4], refuses: [0, -1, '4', null] },
  priority: { takes: [0, 1, 2, 3], refuses: [-1, 4, 1.5, '1', null] },
  boolean: { takes: [true, false], refuses: ['true', 1, null] },
  object: { takes: [], refuses: ['x', 5, null, []] },
  list: { takes: [], refuses: ['x', {}, null] },
} as const satisfies Record<string, { takes: readonly unknown[]; refuses: readonly unknown[] }>
