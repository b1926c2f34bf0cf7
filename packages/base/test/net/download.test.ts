import { describe, expect, it, onTestFinished } from 'vitest'
import { createDownload } from '../../src/net/download.ts'
import { isPublicAddress } from '../../src/net/public-address.ts'
import { files, startFileServer } from '../../../sandbox/test/files.ts'

async function serve(...args: Parameters<typeof startFileServer>) {
  const server = await startFileServer(...args)
  onTestFinished(server.close)
  return server
}

const forbidden = [
  '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.31.255.255 192.168.0.1 198.18.0.1 224.0.0.1',
  '255.255.255.255 :: ::1 ::ffff:8.8.8.8 fe80::1 fc00::1 ff02::1 64:ff9b::7f00:1 2002:7f00:1::',
  '2001::1 2001:db8::1 files.example',
].flatMap((line) => line.split(' '))

describe('a download', () => {
  const options = { maxBytes: 1_000, signal: new AbortController().signal }

  it('connects to the address that was checked, even if the name resolves to another one later', async () => {
    const server = await serve({ '/a.png': { body: files.png } })
    const answers = ['127.0.0.1', '127.0.0.2']
    const download = createDownload({
      mayConnect: (address) => address === '127.0.0.1',
      resolve: async () => [{ address: answers.shift() ?? '', family: 4 }],
    })
    const url = `http://files.example:${new URL(server.url).port}/a.png`
    expect((await download(url, options)).content).toEqual(files.png)
    expect(server.requests).toMatchObject([{ path: '/a.png', headers: { host: new URL(url).host } }])
    await expect(download(url, options)).rejects.toThrow('not on the public internet')
  })

  it('checks the address that a redirect leads to', async () => {
    const outer = await serve({ '/a.png': { status: 302, headers: { location: 'http://127.0.0.2:9/secret.png' } } })
    const download = createDownload({ mayConnect: (address) => address === '127.0.0.1' })
    await expect(download(`${outer.url}/a.png`, options)).rejects.toThrow('not on the public internet')
  })

  it.each(['8.8.8.8', '172.32.0.1', '2606:4700::1111'])('may go to %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })

  it.each(forbidden)('may not go to %j', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})
