-- Changes on the day of the full load, after it.
use employees;

set timestamp = unix_timestamp('2020-11-13 09:12:30');
update employees set last_name = 'Tanaka-Weber' where emp_no = 10003;

set timestamp = unix_timestamp('2020-11-13 11:40:05');
insert into employees values (10041, '1996-02-29', 'Noor', 'Jansen', 'F', '2020-11-13');

use retail;

set timestamp = unix_timestamp('2020-11-13 10:02:00');
insert into productorder values
    (5037, 4, 3, 1, 89.00, '2020-11-13 10:01:59.120045', null),
    (5038, 9, 1, 12, 4.20, '2020-11-13 10:01:59.998877', 'for the office, please');
update productorder set note = null where order_id = 5002;

-- A multi-line text, and one that looks like a null marker.
set timestamp = unix_timestamp('2020-11-13 14:59:59');
update product set price = 27.50, description = 'Now with\na spare "glass"' where product_id = 2;
update product set description = '\\N' where product_id = 3;
