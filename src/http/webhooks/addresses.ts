// Which addresses a webhook may be sent to: those of the public Internet, and none that leads back into a network of the host's.
import { BlockList, isIP } from 'node:net'

/** IPv4 that is not global unicast (IANA special-purpose registry), and a platform's service address that looks as if it was. */
const REFUSED_V4: readonly (readonly [address: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // With it 169.254.169.254, where clouds hand out credentials.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['168.63.129.16', 32],
]

/** Inside IPv6 global unicast: what carries an IPv4 address, and what is for documents, benchmarks and identifiers only. */
const REFUSED_V6: readonly (readonly [address: string, bits: number])[] = [
  // Teredo, benchmarking, ORCHID.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4
  ['2002::', 16],
  ['3fff::', 20],
]

const refused = new BlockList()
for (const [address, bits] of REFUSED_V4) refused.addSubnet(address, bits, 'ipv4')
for (const [address, bits] of REFUSED_V6) refused.addSubnet(address, bits, 'ipv6')

const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/**
 * Whether an address is public. Everything else of IPv6 than global unicast is refused: loopback, unique local, link-local,
 * multicast, and every form that holds an IPv4 address (mapped, compatible, translated, NAT64). What is no address is not
 * public. Spec: threat T38.
 */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !refused.check(address, 'ipv4')
    case 6:
      return !address.includes('%') && globalUnicast.check(address, 'ipv6') && !refused.check(address, 'ipv6')
    default:
      return false
  }
}

/** Whether an address in its plain form is one of this machine's own. */
export function isLoopbackAddress(address: string): boolean {
  if (address.includes('.') && address.includes(':')) return false
  const family = isIP(address)
  return family !== 0 && loopback.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
