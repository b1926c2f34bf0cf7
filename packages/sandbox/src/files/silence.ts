const samples = 800

/** A WAV file: a tenth of a second without a sound, one channel of 8 bits at 8,000 Hz. */
export const silence: Buffer = (() => {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(8_000, 24)
  header.writeUInt32LE(8_000, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples, 40)
  // 8-bit samples are unsigned: 128 is silence.
  return Buffer.concat([header, Buffer.alloc(samples, 128)])
})()
