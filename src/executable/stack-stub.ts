/**
 * What an executable does before Node begins: it raises the limit of its stack, as the shell does for the launcher (`bin/harn.cjs`).
 * 10,000 nested script calls want more than the usual 8 MB, and Node has no call for it. Starting the file again under
 * another limit costs one more start of Node, half of a whole run (bench/README.md).
 *
 *   prlimit64(0, RLIMIT_STACK, NULL, &limit)
 *   wanted = min(limit.hard, 65,500 kB)
 *   if limit.soft < wanted: limit.soft = wanted, prlimit64(0, RLIMIT_STACK, &limit, NULL)
 *   jump to where the program began
 *
 * Linux lets the stack of a process that runs already grow to the new limit: it keeps at least 128 MB of addresses free for it.
 */

/** As much as the launcher asks for. */
export const stackKb = 65_500;

/** The code for an address, from which it goes on at `entry`. */
export type StackStub = (address: number, entry: number) => Buffer;

/** By the machine of the ELF header; on others the executable starts itself again under a higher limit (`bin/executable.cjs`). */
export const stackStub = (machine: number): StackStub | undefined =>
  machine === 62 ? x64 : machine === 183 ? arm64 : undefined;

const x64: StackStub = (address, entry) => {
  const code = Buffer.from(
    [
      "52", // push rdx: what the loader hands to the program
      "48 83 ec 10", // sub rsp, 16
      "31 ff", // xor edi, edi
      "be 03 00 00 00", // mov esi, RLIMIT_STACK
      "31 d2", // xor edx, edx
      "49 89 e2", // mov r10, rsp
      "b8 2e 01 00 00", // mov eax, prlimit64
      "0f 05", // syscall
      "85 c0", // test eax, eax
      "75 2f", // jnz end
      "48 8b 44 24 08", // mov rax, [rsp + 8]: the hard limit
      `b9 ${littleEndian(stackKb * 1024)}`, // mov ecx, wanted
      "48 39 c8", // cmp rax, rcx
      "48 0f 47 c1", // cmova rax, rcx
      "48 39 04 24", // cmp [rsp], rax
      "73 18", // jae end: it is enough
      "48 89 04 24", // mov [rsp], rax
      "31 ff", // xor edi, edi
      "be 03 00 00 00", // mov esi, RLIMIT_STACK
      "48 89 e2", // mov rdx, rsp
      "45 31 d2", // xor r10d, r10d
      "b8 2e 01 00 00", // mov eax, prlimit64
      "0f 05", // syscall
      "48 83 c4 10", // end: add rsp, 16
      "5a", // pop rdx
      "e9", // jmp entry
    ]
      .join("")
      .replaceAll(" ", ""),
    "hex",
  );
  const jump = Buffer.alloc(4);
  jump.writeInt32LE(entry - (address + code.length + jump.length));
  return Buffer.concat([code, jump]);
};

const arm64: StackStub = (address, entry) => {
  const wanted = stackKb * 1024;
  const code = [
    0xaa0003e9, // mov x9, x0: what the loader hands to the program
    0xd10043ff, // sub sp, sp, 16
    0xd2800000, // mov x0, 0
    0xd2800061, // mov x1, RLIMIT_STACK
    0xd2800002, // mov x2, 0
    0x910003e3, // mov x3, sp
    0xd28020a8, // mov x8, prlimit64
    0xd4000001, // svc 0
    0xb50001e0, // cbnz x0, end
    0xf94007ea, // ldr x10, [sp, 8]: the hard limit
    0xd280000b | ((wanted & 0xffff) << 5), // mov x11, wanted
    0xf2a0000b | ((wanted >>> 16) << 5), // its upper half
    0xeb0b015f, // cmp x10, x11
    0x9a8b314a, // csel x10, x10, x11, lo
    0xf94003ec, // ldr x12, [sp]
    0xeb0a019f, // cmp x12, x10
    0x540000e2, // b.hs end: it is enough
    0xf90003ea, // str x10, [sp]
    0xd2800000, // mov x0, 0
    0xd2800061, // mov x1, RLIMIT_STACK
    0x910003e2, // mov x2, sp
    0xd2800003, // mov x3, 0
    0xd4000001, // svc 0
    0x910043ff, // end: add sp, sp, 16
    0xaa0903e0, // mov x0, x9
  ];
  // A register that may jump to the beginning of a function.
  const pages = Math.floor(entry / 4096) - Math.floor((address + 4 * code.length) / 4096);
  code.push(
    0x90000010 | ((pages & 3) << 29) | (((pages >> 2) & 0x7ffff) << 5), // adrp x16, entry
    0x91000210 | ((entry & 4095) << 10), // add x16, x16, its place in the page
    0xd61f0200, // br x16
  );
  const bytes = Buffer.alloc(4 * code.length);
  for (const [index, word] of code.entries()) bytes.writeUInt32LE(word >>> 0, 4 * index);
  return bytes;
};

function littleEndian(value: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes.toString("hex");
}
