use employees;

set timestamp = unix_timestamp('2020-11-14 23:30:00');
delete from dept_emp where emp_no = 10020;
delete from salaries where emp_no = 10020;
delete from employees where emp_no = 10020;

use retail;

set timestamp = unix_timestamp('2020-11-14 23:45:01');
insert into productorder values
    (5041, 11, 1, 4, 8.75, '2020-11-14 23:45:00.000001', 'Danke 👍');
update productorder set quantity = quantity + 1 where order_id in (5010, 5011, 5012);
