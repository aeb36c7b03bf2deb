/** Examples of RFC 5545 section 3.8.5.3, in America/New_York: the first occurrences, as it lists them. */

type Example = {
  readonly rule: string;
  readonly start: string;
  /** Times are those of the start, unless they are given. */
  readonly first: readonly string[];
  /** Whether `first` has all of them. */
  readonly isComplete?: boolean;
};

const START = "1997-09-02T09:00:00";
const DAYS_1997 = (month: string, days: readonly number[]) =>
  days.map((day) => `1997-${month}-${String(day).padStart(2, "0")}`);

export const RFC_EXAMPLES: readonly Example[] = [
  {
    rule: "FREQ=DAILY;COUNT=10",
    start: START,
    first: DAYS_1997("09", [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
    isComplete: true,
  },
  {
    rule: "FREQ=DAILY;INTERVAL=10;COUNT=5",
    start: START,
    first: ["1997-09-02", "1997-09-12", "1997-09-22", "1997-10-02", "1997-10-12"],
    isComplete: true,
  },
  {
    rule: "FREQ=YEARLY;UNTIL=20000131T140000Z;BYMONTH=1;BYDAY=SU,MO,TU,WE,TH,FR,SA",
    start: "1998-01-01T09:00:00",
    first: ["1998-01-01", "1998-01-02", "1998-01-03"],
  },
  {
    rule: "FREQ=WEEKLY;UNTIL=19971224T000000Z",
    start: START,
    first: [
      ...DAYS_1997("09", [2, 9, 16, 23, 30]),
      ...DAYS_1997("10", [7, 14, 21, 28]),
      ...DAYS_1997("11", [4, 11, 18, 25]),
      ...DAYS_1997("12", [2, 9, 16, 23]),
    ],
    isComplete: true,
  },
  {
    rule: "FREQ=WEEKLY;INTERVAL=2;UNTIL=19971224T000000Z;WKST=SU;BYDAY=MO,WE,FR",
    start: "1997-09-01T09:00:00",
    first: [
      ...DAYS_1997("09", [1, 3, 5, 15, 17, 19, 29]),
      ...DAYS_1997("10", [1, 3, 13, 15, 17, 27, 29, 31]),
      ...DAYS_1997("11", [10, 12, 14, 24, 26, 28]),
      ...DAYS_1997("12", [8, 10, 12, 22]),
    ],
    isComplete: true,
  },
  {
    rule: "FREQ=MONTHLY;COUNT=10;BYDAY=1FR",
    start: "1997-09-05T09:00:00",
    first: [
      ...["1997-09-05", "1997-10-03", "1997-11-07", "1997-12-05", "1998-01-02"],
      ...["1998-02-06", "1998-03-06", "1998-04-03", "1998-05-01", "1998-06-05"],
    ],
    isComplete: true,
  },
  {
    rule: "FREQ=MONTHLY;INTERVAL=2;COUNT=10;BYDAY=1SU,-1SU",
    start: "1997-09-07T09:00:00",
    first: [
      ...["1997-09-07", "1997-09-28", "1997-11-02", "1997-11-30", "1998-01-04"],
      ...["1998-01-25", "1998-03-01", "1998-03-29", "1998-05-03", "1998-05-31"],
    ],
    isComplete: true,
  },
  {
    rule: "FREQ=MONTHLY;BYMONTHDAY=-3",
    start: "1997-09-28T09:00:00",
    first: ["1997-09-28", "1997-10-29", "1997-11-28", "1997-12-29", "1998-01-29", "1998-02-26"],
  },
  {
    rule: "FREQ=MONTHLY;COUNT=10;BYMONTHDAY=1,-1",
    start: "1997-09-30T09:00:00",
    first: [
      ...["1997-09-30", "1997-10-01", "1997-10-31", "1997-11-01", "1997-11-30"],
      ...["1997-12-01", "1997-12-31", "1998-01-01", "1998-01-31", "1998-02-01"],
    ],
    isComplete: true,
  },
  {
    rule: "FREQ=MONTHLY;INTERVAL=18;COUNT=10;BYMONTHDAY=10,11,12,13,14,15",
    start: "1997-09-10T09:00:00",
    first: [
      ...DAYS_1997("09", [10, 11, 12, 13, 14, 15]),
      ...["1999-03-10", "1999-03-11", "1999-03-12", "1999-03-13"],
    ],
    isComplete: true,
  },
  {
    rule: "FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200",
    start: "1997-01-01T09:00:00",
    first: [
      ...["1997-01-01", "1997-04-10", "1997-07-19", "2000-01-01", "2000-04-09"],
      ...["2000-07-18", "2003-01-01", "2003-04-10", "2003-07-19", "2006-01-01"],
    ],
    isComplete: true,
  },
  {
    rule: "FREQ=YEARLY;BYDAY=20MO",
    start: "1997-05-19T09:00:00",
    first: ["1997-05-19", "1998-05-18", "1999-05-17"],
  },
  {
    rule: "FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO",
    start: "1997-05-12T09:00:00",
    first: ["1997-05-12", "1998-05-11", "1999-05-17"],
  },
  {
    rule: "FREQ=YEARLY;BYDAY=TH;BYMONTH=6,7,8",
    start: "1997-06-05T09:00:00",
    first: [...DAYS_1997("06", [5, 12, 19, 26]), ...DAYS_1997("07", [3, 10, 17, 24, 31])],
  },
  {
    rule: "FREQ=MONTHLY;BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13",
    start: "1997-09-13T09:00:00",
    first: ["1997-09-13", "1997-10-11", "1997-11-08", "1997-12-13", "1998-01-10", "1998-02-07"],
  },
  {
    rule: "FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8",
    start: "1996-11-05T09:00:00",
    first: ["1996-11-05", "2000-11-07", "2004-11-02"],
  },
  {
    rule: "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3",
    start: "1997-09-04T09:00:00",
    first: ["1997-09-04", "1997-10-07", "1997-11-06"],
    isComplete: true,
  },
  {
    rule: "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2",
    start: "1997-09-29T09:00:00",
    first: ["1997-09-29", "1997-10-30", "1997-11-27", "1997-12-30", "1998-01-29", "1998-02-26"],
  },
  {
    rule: "FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T210000Z",
    start: START,
    first: ["1997-09-02T09:00:00", "1997-09-02T12:00:00", "1997-09-02T15:00:00"],
  },
  {
    rule: "FREQ=MINUTELY;INTERVAL=90;COUNT=4",
    start: START,
    first: [
      ...["1997-09-02T09:00:00", "1997-09-02T10:30:00"],
      ...["1997-09-02T12:00:00", "1997-09-02T13:30:00"],
    ],
    isComplete: true,
  },
  {
    rule: "FREQ=MINUTELY;INTERVAL=20;BYHOUR=9,10,11,12,13,14,15,16",
    start: START,
    first: ["1997-09-02T09:00:00", "1997-09-02T09:20:00", "1997-09-02T09:40:00"],
  },
  {
    rule: "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO",
    start: "1997-08-05T09:00:00",
    first: DAYS_1997("08", [5, 10, 19, 24]),
    isComplete: true,
  },
  {
    rule: "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU",
    start: "1997-08-05T09:00:00",
    first: DAYS_1997("08", [5, 17, 19, 31]),
    isComplete: true,
  },
  {
    rule: "FREQ=MONTHLY;BYMONTHDAY=15,30;COUNT=5",
    start: "2007-01-15T09:00:00",
    first: ["2007-01-15", "2007-01-30", "2007-02-15", "2007-03-15", "2007-03-30"],
    isComplete: true,
  },
];
