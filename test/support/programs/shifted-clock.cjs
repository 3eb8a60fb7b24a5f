// A machine whose clock is wrong by HARN_TEST_CLOCK_SHIFT milliseconds: loaded before everything else (`--require`).
const RealDate = Date;
const shift = Number(process.env.HARN_TEST_CLOCK_SHIFT);
class ShiftedDate extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + shift] : given));
  }
  static now() {
    return RealDate.now() + shift;
  }
}
globalThis.Date = ShiftedDate;
