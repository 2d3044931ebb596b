-- No change in departments on this date.
use employees;

-- One transaction: each row closed and its successor inserted, all with one commit time.
set timestamp = unix_timestamp('2020-11-14 09:00:00');
begin;
update salaries set to_date = '2020-11-14'
    where emp_no in (10001, 10002, 10003) and to_date = '9999-01-01';
insert into salaries values
    (10001, 61000, '2020-11-14', '9999-01-01'),
    (10002, 58500, '2020-11-14', '9999-01-01'),
    (10003, 72250, '2020-11-14', '9999-01-01');
commit;

-- Several updates of one row in one transaction: only their order tells which is the last.
set timestamp = unix_timestamp('2020-11-14 09:15:42');
begin;
update salaries set salary = 60000 where emp_no = 10001 and from_date = '2020-11-14';
update salaries set salary = 63000 where emp_no = 10001 and from_date = '2020-11-14';
update salaries set salary = 62000 where emp_no = 10001 and from_date = '2020-11-14';
commit;

set timestamp = unix_timestamp('2020-11-14 09:20:00');
insert into employees values
    (10042, '1990-07-04', 'Ravi', 'Menon', 'M', '2020-11-14'),
    (10043, '1985-01-19', 'Ella', 'Sørensen', 'F', '2020-11-14');
insert into dept_emp values
    (10042, 'd005', '2020-11-14', '9999-01-01'),
    (10043, 'd008', '2020-11-14', '9999-01-01');

use retail;

set timestamp = unix_timestamp('2020-11-14 08:45:10');
insert into productorder values
    (5039, 1, 2, 1, 349.00, '2020-11-14 08:45:09.500000', 'deliver on Monday'),
    (5040, 6, 5, 2, 24.99, '2020-11-14 08:45:09.500001', null);
update productorder set quantity = 3 where order_id = 5039;
